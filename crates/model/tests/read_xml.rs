//! What is read from XML models: one small model per rule of the format.

use model::diagnostic::{Diagnostic, Diagnostics};
use model::read::model_bytes;
use model::source::Sources;
use model::syntax::ast::{Document, Edge, Item, Outcome, Syntax, Template};

struct Read {
    sources: Sources,
    diagnostics: Diagnostics,
    document: Option<Document>,
}

fn read(xml: &str) -> Read {
    let mut sources = Sources::new();
    let mut diagnostics = Diagnostics::new();
    let document = model_bytes(&mut sources, "m.xml", xml.as_bytes(), &mut diagnostics);
    Read { sources, diagnostics, document }
}

impl Read {
    fn document(&self) -> &Document {
        self.document.as_ref().unwrap_or_else(|| panic!("nothing read: {:?}", self.diagnostics))
    }

    fn template(&self, at: usize) -> &Template {
        let templates = self.document().items.iter().filter_map(|item| match item {
            Item::Template(template) => Some(template),
            _ => None,
        });
        templates.into_iter().nth(at).expect("too few templates")
    }

    fn edge(&self) -> &Edge {
        &self.template(0).edges[0]
    }

    fn codes(&self) -> Vec<&str> {
        self.diagnostics.iter().map(|diagnostic| diagnostic.code.0).collect()
    }

    /// The only diagnostic there is.
    fn only(&self) -> &Diagnostic {
        assert_eq!(self.diagnostics.len(), 1, "{:?}", self.diagnostics);
        self.diagnostics.iter().next().unwrap()
    }

    /// What the caret of the only diagnostic points at.
    fn at(&self) -> &str {
        self.sources.raw(self.only().span.unwrap())
    }

    fn raw(&self, span: model::source::Span) -> &str {
        self.sources.raw(span)
    }

    fn names(&self, at: usize) -> Vec<&str> {
        self.template(at).locations.iter().map(|location| &*location.name.name).collect()
    }
}

const DECLARATIONS: &str = "clock x, y; chan a, b; int i, j, k;";

/// A model with one template, whose inside is given.
fn with_template(inside: &str) -> Read {
    read(&format!(
        "<nta><declaration>{DECLARATIONS}</declaration><template><name>T</name>{inside}</template>\
         <system>system T;</system></nta>"
    ))
}

/// A model with one transition, whose inside is given.
fn with_edge(inside: &str) -> Read {
    with_template(&format!(
        "<location id='a'/><location id='b'/><init ref='a'/>\
         <transition><source ref='a'/><target ref='b'/>{inside}</transition>"
    ))
}

/// A model with one location, whose inside is given.
fn with_location(inside: &str) -> Read {
    with_template(&format!("<location id='a'>{inside}</location><init ref='a'/>"))
}

#[test]
fn a_whole_model() {
    let read = read(
        r#"<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.6//EN' 'http://www.it.uu.se/research/group/darts/uppaal/flat-1_6.dtd'>
<nta>
  <declaration>clock x;</declaration>
  <template>
    <name x="5" y="5">T</name>
    <parameter>const int n</parameter>
    <declaration>int k;</declaration>
    <location id="id0" x="0" y="0"><name>A</name><label kind="invariant">x &lt;= 5</label></location>
    <location id="id1"><label kind="exponentialrate">1:3</label><committed/></location>
    <branchpoint id="id2"/>
    <init ref="id0"/>
    <transition id="id3"><source ref="id0"/><target ref="id2"/>
      <label kind="select">s : int[0,1]</label><label kind="guard">x &gt;= 3</label>
      <label kind="synchronisation">c!</label><nail x="1" y="2"/></transition>
    <transition controllable="false"><source ref="id2"/><target ref="id1"/>
      <label kind="assignment">x = 0, k = 1</label><label kind="probability">2</label></transition>
  </template>
  <system>P = T(1); system P;</system>
  <queries>
    <option key="--search-order" value="1"/>
    <query><formula>E&lt;&gt; P.A and x == 4</formula><comment> why
      not </comment>
      <option key="--extrapolation" value="4"/>
      <expect outcome="failure" type="symbolic"/>
      <result outcome="success" type="quality" timestamp="now"/></query>
    <query><formula>// later</formula><comment/></query>
    <query><formula></formula><comment/></query>
    <query><formula>A[] not deadlock</formula><comment/><result outcome="success"/></query>
    <query><formula>Pr[&lt;=3](&lt;&gt; P.A)</formula><expect outcome="success" type="probability" value="0.5">
      <resource type="time" value="1" unit="s"/></expect></query>
  </queries>
</nta>"#,
    );
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    let document = read.document();
    assert_eq!(document.syntax, Syntax::New);
    assert!(document.system.is_some());
    let template = read.template(0);
    assert_eq!((&*template.name.name, read.raw(template.span)), ("T", "T"));
    assert_eq!((template.parameters.len(), template.declarations.len()), (1, 1));
    assert_eq!(read.names(0), ["A", "_id1"]);
    let [first, second] = &template.locations[..] else { panic!() };
    assert_eq!((first.anonymous, first.committed, first.urgent), (false, false, false));
    assert_eq!(read.raw(first.invariant.as_ref().unwrap().span), "x &lt;= 5");
    assert_eq!((second.anonymous, second.committed, second.urgent), (true, true, false));
    assert_eq!(read.raw(second.span), r#"<location id="id1">"#);
    assert!(second.rate.as_ref().is_some_and(|(_, quotient)| quotient.is_some()));
    assert_eq!(&*template.branchpoints[0].name, "_id2");
    assert_eq!(&*template.init.as_ref().unwrap().name, "A");
    let [edge, branch] = &template.edges[..] else { panic!() };
    assert_eq!((&*edge.source.name, &*edge.target.name, edge.controllable), ("A", "_id2", true));
    assert_eq!((&*branch.source.name, &*branch.target.name, branch.controllable), ("_id2", "_id1", false));
    assert_eq!((edge.select.len(), edge.sync.is_some(), edge.guard.is_some()), (1, true, true));
    assert_eq!((branch.update.len(), branch.weight.is_some()), (2, true));
    assert_eq!(read.raw(edge.span), r#"<transition id="id3">"#);
    assert_eq!(read.raw(edge.source.span), "id0");

    let [first, second, third] = &document.queries[..] else { panic!("{:?}", document.queries) };
    assert_eq!(first.text.as_str(), "E<> P.A and x == 4");
    assert!(first.comment.starts_with("why") && first.comment.ends_with("not"));
    let option = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(first.options, [option("--search-order", "1"), option("--extrapolation", "4")]);
    assert_eq!(first.expect.as_ref().unwrap().outcome, Some(Outcome::Failure));
    assert_eq!((&second.expect, second.comment.as_str()), (&None, ""));
    let expect = third.expect.as_ref().unwrap();
    assert_eq!((expect.outcome, expect.value.as_deref()), (Some(Outcome::Success), Some("0.5")));
}

#[test]
fn every_generation_of_document_types() {
    for head in [
        "",
        "\n",
        "<?xml version='1.0'?>",
        "<?xml version='1.0' encoding='UTF-8' standalone='no'?><!-- a -- comment --->\n",
        "<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.0//EN' 'http://www.docs.uu.se/docs/rtmv/uppaal/xml/flat-1_0.dtd'>",
        "<!DOCTYPE nta PUBLIC \"-//Uppaal Team//DTD Flat System 1.1//EN\" \"http://www.it.uu.se/research/group/darts/uppaal/flat-1_1.dtd\">",
        "<!DOCTYPE nta SYSTEM \"flat.dtd\" [<!ELEMENT nta (declaration)> <!ATTLIST nta a CDATA ''> <!-- ] -->]>",
    ] {
        for root in ["nta", "project"] {
            let read = read(&format!(
                "{head}<{root}><template><name>T</name><location id='a'/><init ref='a'/></template>\
                 <system>system T;</system></{root}>"
            ));
            assert!(read.diagnostics.is_empty(), "{head}: {:?}", read.diagnostics);
            assert_eq!(read.names(0), ["_a"], "{head}");
        }
    }
}

#[test]
fn white_space_before_the_xml_declaration_is_forgiven() {
    let read = read(
        "\r\n\t<?xml version='1.0'?><nta><template><name>T</name><location id='a'/><init ref='a'/></template>\
         <system>system T;</system></nta>",
    );
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
}

#[test]
fn the_order_of_children_means_nothing() {
    let read = read(
        "<nta><system>system T;</system><template>\
         <transition><label kind='guard'>s == 1</label><label kind='select'>s : int[0,1]</label>\
         <target ref='b'/><source ref='a'/></transition>\
         <init ref='b'/><location id='b'/><location id='a'/><parameter/><name> \n T\t</name></template>\
         <declaration>int i;</declaration></nta>",
    );
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    assert_eq!((&*read.template(0).name.name, read.raw(read.template(0).span)), ("T", "T"));
    assert_eq!(&*read.template(0).init.as_ref().unwrap().name, "_b");
    assert_eq!((read.edge().select.len(), read.edge().guard.is_some()), (1, true));
    assert!(matches!(read.document().items[0], Item::Declaration(_)));
}

#[test]
fn ids_belong_to_their_template() {
    let template = |name: &str, location: &str| {
        format!(
            "<template><name>{name}</name><location id='id0'><name>{location}</name></location><init ref='id0'/>\
             <transition><source ref='id0'/><target ref='id0'/></transition></template>"
        )
    };
    let read = read(&format!("<nta>{}{}<system>system T, U;</system></nta>", template("T", "A"), template("U", "B")));
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    assert_eq!(&*read.template(0).edges[0].target.name, "A");
    assert_eq!(&*read.template(1).edges[0].target.name, "B");
}

#[test]
fn an_id_used_twice_means_the_last() {
    let read = with_template(
        "<location id='a'><name>A</name></location><location id='a'><name>B</name></location><init ref='a'/>",
    );
    assert_eq!((read.codes(), read.at()), (vec!["W0007"], "a"));
    assert_eq!(&*read.template(0).init.as_ref().unwrap().name, "B");
}

#[test]
fn of_labels_of_a_kind_the_last_that_says_something_counts() {
    let read =
        with_edge("<label kind='guard'>i == 1</label><label kind='guard'>i == 2</label><label kind='guard'> </label>");
    assert_eq!((read.codes(), read.at()), (vec!["W0007"], "i == 1"));
    assert_eq!(read.raw(read.edge().guard.as_ref().unwrap().span), "i == 2");
}

#[test]
fn empty_labels_and_labels_of_other_tools_are_nothing() {
    let read = with_edge(
        "<label kind='select'/><label kind='guard'></label><label kind='synchronisation'> \n</label>\
         <label kind='assignment'>// x = 0</label><label kind='probability'><!-- 2 --></label>\
         <label kind='comments'>@ what</label><label kind='testcode'>#!$</label><label kind='mine'>(</label><label/>",
    );
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    let edge = read.edge();
    assert!(edge.guard.is_none() && edge.sync.is_none() && edge.weight.is_none());
    assert!(edge.select.is_empty() && edge.update.is_empty());
}

#[test]
fn labels_without_meaning_are_mentioned() {
    for inside in
        ["<label kind='synchronization'>a!</label>", "<label kind='invariant'>x &lt; 3</label>", "<label>x = 0</label>"]
    {
        let read = with_edge(inside);
        assert_eq!(read.codes(), ["W0007"], "{inside}");
        assert!(inside.starts_with(read.at()), "{inside}");
        assert!(read.edge().sync.is_none());
    }
    assert_eq!(with_location("<label kind='guard'>x &lt; 3</label>").codes(), ["W0007"]);
    assert!(with_edge("<label kind='synchronization'/>").diagnostics.is_empty());
}

#[test]
fn only_the_first_text_of_an_element_is_read() {
    let read = with_edge("<label kind='guard'>i == 1<b>&amp;&amp;</b> @ </label>");
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    assert_eq!(read.raw(read.edge().guard.as_ref().unwrap().span), "i == 1");
}

#[test]
fn unknown_elements_are_skipped_and_sequence_charts_keep_their_names() {
    let read = read(
        "<nta><imports>@</imports><declaration>int i;</declaration><template><name>T</name><funny><init/></funny>\
         <location id='a'><shape/></location><init ref='a'/></template>\
         <lsc><name>L</name><type>Universal</type><template/></lsc><instantiation>P = T();</instantiation>\
         <system>system P;</system></nta>",
    );
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    let kinds: Vec<&str> = read
        .document()
        .items
        .iter()
        .map(|item| match item {
            Item::Declaration(_) => "declaration",
            Item::Template(_) => "template",
            Item::LiveSequenceChart(_) => "chart",
            Item::Instantiation(_) => "instantiation",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["declaration", "template", "chart", "instantiation"]);
}

#[test]
fn what_stands_twice_is_read_once() {
    let read = with_template("<location id='a'/><init ref='a'/><init ref='b'/>");
    assert_eq!((read.codes(), read.at()), (vec!["W0007"], "<init ref='b'/>"));
}

#[test]
fn names_are_identifiers_and_no_keywords() {
    for name in ["good location", "1st", "a-b", "é", "clock", "true", "a\nb"] {
        let read = with_location(&format!("<name> {name} </name>"));
        assert_eq!((read.codes(), read.at()), (vec!["E0106"], name));
        assert_eq!(read.names(0), [name]);
    }
    for name in ["A", "E", "sup", "exit", "location", "_x1", "a$b#", "&#65;"] {
        let read = with_location(&format!("<name>{name}</name>"));
        assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    }
    assert_eq!(with_location("<name> </name>").names(0), ["_a"]);
}

#[test]
fn locations_are_not_both_urgent_and_committed() {
    let read = with_location("<name>A</name><urgent/><committed/>");
    assert_eq!((read.codes(), read.at()), (vec!["E0403"], "A"));
    let read = with_location("<urgent/>");
    assert!(read.diagnostics.is_empty() && read.template(0).locations[0].urgent);
}

#[test]
fn what_is_missing_or_leads_nowhere_is_located() {
    let cases = [
        ("<location id='a'/>", "E0012", "T"),
        ("<location id='a'/><init/>", "E0012", "<init/>"),
        ("<location id='a'/><init ref='b'/>", "E0013", "b"),
        ("<location id='a'/><branchpoint id='b'/><init ref='b'/>", "E0013", "b"),
        ("<location/><location id='a'/><init ref='a'/>", "E0011", "<location/>"),
        ("<location id='a'/><branchpoint id=' '/><init ref='a'/>", "E0011", "<branchpoint id=' '/>"),
        ("<location id='a'/><init ref='a'/><transition><source ref='a'/></transition>", "E0011", "<transition>"),
        (
            "<location id='a'/><init ref='a'/><transition><source ref='id7'/><target ref='a'/></transition>",
            "E0013",
            "id7",
        ),
        (
            "<location id='a'/><init ref='a'/><transition><source/><target ref='a'/></transition>",
            "E0011",
            "<transition>",
        ),
    ];
    for (inside, code, place) in cases {
        let read = with_template(inside);
        assert_eq!((read.codes(), read.at()), (vec![code], place), "{inside}");
        assert!(read.document.is_some());
        if code == "E0013" {
            assert!(read.only().message.contains(&format!("`{place}`")), "{inside}");
        }
    }
    let read = read("<nta><template><location id='a'/><init ref='a'/></template><system>system P;</system></nta>");
    assert_eq!((read.codes(), read.at()), (vec!["E0011"], "<template>"));
}

#[test]
fn a_model_without_a_system() {
    let read = read("<nta x='1'><declaration>int i;</declaration></nta>");
    assert_eq!((read.codes(), read.at()), (vec!["E0401"], "<nta x='1'>"));
    assert!(read.document.is_some());
    let empty = self::read("<nta><system>int k;</system></nta>");
    assert_eq!((empty.codes(), empty.at()), (vec!["E0401"], "int k;"));
    let broken = self::read("<nta><system>system ;</system></nta>");
    assert_eq!(broken.codes(), ["E0104"], "one mistake, one error");
}

#[test]
fn text_models_are_read_in_either_syntax() {
    let read_text = |text: &str| {
        let mut diagnostics = Diagnostics::new();
        let document = model_bytes(&mut Sources::new(), "m.ta", text.as_bytes(), &mut diagnostics).unwrap();
        let codes: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code.0).collect();
        (document.syntax, codes)
    };
    let new = "const int N = 4;\r\nprocess P() { state A; init A; }\r\nsystem P;";
    assert_eq!(read_text(new), (Syntax::New, vec![]));
    let old = "const N 4; clock x; process P { state A { x <= N, x =< 3 }; init A; } system P;";
    assert_eq!(read_text(old), (Syntax::Old, vec!["W0008"]));
    // An error in an old model does not turn it into a new one with more of them.
    let broken = "const N 4; clock x; process P { state A { x <= , x =< 3 }; init A; trans A -> A { guard x < 3, x > 1; }; } system P;";
    assert_eq!(read_text(broken).0, Syntax::Old);
    assert_eq!(read_text("int i;"), (Syntax::New, vec!["E0401"]));
    assert_eq!(read_text(""), (Syntax::New, vec!["E0401"]));
}

#[test]
fn uncontrollable_is_everything_but_true() {
    for (attribute, controllable) in
        [("", true), ("controllable='true'", true), ("controllable='false'", false), ("controllable='TRUE'", false)]
    {
        let read = with_template(&format!(
            "<location id='a'/><init ref='a'/><transition {attribute} action='SKIP'><source ref='a'/><target ref='a'/>\
             </transition>"
        ));
        assert_eq!(read.edge().controllable, controllable, "{attribute}");
    }
}

#[test]
fn the_old_syntax_is_recognised_by_what_only_it_has() {
    let read = read(
        "<nta><declaration>const N 5; clock x; int i;</declaration><template><name>T</name>\
         <parameter>const k</parameter><location id='a'><label kind='invariant'>x &lt;= N, i =&lt; k</label></location>\
         <init ref='a'/><transition><source ref='a'/><target ref='a'/><label kind='guard'>x &gt;= 2, i == 1</label>\
         <label kind='assignment'>x := 0</label></transition></template><system>P := T(1); system P;</system></nta>",
    );
    assert_eq!(read.codes(), ["W0008"], "{:?}", read.diagnostics);
    assert_eq!(read.document().syntax, Syntax::Old);
}

#[test]
fn entities_of_the_file_are_expanded() {
    let read = read(
        "<!DOCTYPE nta [<!ENTITY bound '5'> <!ENTITY limit \"&bound; + 1\"> <!ENTITY id 'a'>]><nta><template>\
         <name>T</name><location id='&id;'><label kind='invariant'>1 &lt;= &limit;</label></location><init ref='a'/>\
         </template><system>system T;</system></nta>",
    );
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    assert!(read.template(0).locations[0].invariant.is_some());
}

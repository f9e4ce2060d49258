//! Errors are located in the file, through entities, CDATA sections and line ends, and by their XPath.

use model::diagnostic::Diagnostics;
use model::read::model_bytes;
use model::source::Sources;

/// Reads a model and tells where its first error is: line, column, path and raw text.
fn place(xml: &str) -> (usize, usize, String, String) {
    let mut sources = Sources::new();
    let mut diagnostics = Diagnostics::new();
    model_bytes(&mut sources, "m.xml", xml.as_bytes(), &mut diagnostics);
    let error = diagnostics.iter().find(|diagnostic| diagnostic.is_error()).expect("an error");
    let span = error.span.expect("a place");
    let place = sources.line_column(span.file, span.start);
    let path = sources.path(span).unwrap_or("none").to_owned();
    (place.line, place.column, path, sources.raw(span).to_owned())
}

fn guard(label: &str) -> String {
    format!(
        "<nta><declaration>int i; bool b;</declaration>\n<template><name>T</name>\n<location id='a'/><init ref='a'/>\n\
         <transition><source ref='a'/><target ref='a'/></transition>\n<transition><source ref='a'/><target ref='a'/>\
         <label kind='comments'>no</label>\n{label}</transition></template><system>system T;</system></nta>"
    )
}

#[test]
fn inside_of_labels() {
    let path = "/nta/template[1]/transition[2]/label[2]";
    let cases = [
        "<label kind='guard'>@</label>",
        "<label kind='guard'>i &lt; @</label>",
        "<label kind='guard'>b &amp;&amp; i &gt;= @</label>",
        "<label kind='guard'>i == &#49; &#x26;&amp; @</label>",
        "<label kind='guard'>b\r\n&amp;&amp;\r\n  @</label>",
        "<label kind='guard'>b <!-- & < -->&amp;&amp; @</label>",
        "<label kind='guard'><![CDATA[i < 5 && @]]></label>",
        "<label kind='guard'><![CDATA[i <\r\n 5 && @]]></label>",
        "<label kind='guard'>/* é */ @</label>",
        "<label\n kind='guard' x='>'\n>i &lt; @</label>",
    ];
    for label in cases {
        let xml = guard(label);
        let before = xml.split('@').next().unwrap();
        let line = before.split('\n').count();
        let column = before.split('\n').next_back().unwrap().chars().count() + 1;
        assert_eq!(place(&xml), (line, column, path.to_owned(), "@".to_owned()), "{label}");
    }
}

#[test]
fn paths_of_all_parts() {
    let whole = |declaration: &str, template: &str, rest: &str| {
        format!(
            "<nta><declaration>{declaration}</declaration><template><name>S</name><location id='a'/><init ref='a'/>\
             </template><template><name>T</name>{template}</template>{rest}</nta>"
        )
    };
    let good = "<location id='a'/><init ref='a'/>";
    let system = "<system>system T;</system>";
    let cases = [
        (whole("int i; @", good, system), "/nta/declaration"),
        (whole("", &format!("<parameter>int @</parameter>{good}"), system), "/nta/template[2]/parameter"),
        (whole("", &format!("<declaration>int @;</declaration>{good}"), system), "/nta/template[2]/declaration"),
        (
            whole("", &format!("{good}<location id='b'><label kind='invariant'>@</label></location>"), system),
            "/nta/template[2]/location[2]/label[1]",
        ),
        (
            whole("", &format!("{good}<location id='b'><name>@</name></location>"), system),
            "/nta/template[2]/location[2]/name",
        ),
        (
            whole("", &format!("{good}<location id='b'><urgent/><committed/></location>"), system),
            "/nta/template[2]/location[2]",
        ),
        (whole("", "<location id='a'/>", system), "/nta/template[2]/name"),
        (whole("", "<location id='a'/><init ref='q'/>", system), "/nta/template[2]/init"),
        (
            whole("", &format!("{good}<transition><source ref='q'/><target ref='a'/></transition>"), system),
            "/nta/template[2]/transition[1]/source",
        ),
        (whole("", &format!("{good}<transition/>"), system), "/nta/template[2]/transition[1]"),
        (whole("", good, "<system>system @;</system>"), "/nta/system"),
        (whole("", good, ""), "/nta"),
        (whole("", good, "<instantiation>@</instantiation><system>system T;</system>"), "/nta/instantiation"),
    ];
    for (xml, path) in cases {
        assert_eq!(place(&xml).2, path, "{xml}");
    }
}

#[test]
fn queries_know_their_places() {
    let xml = "<nta><system>system T;</system><queries><query><formula/></query>\
               <query><formula>\n  E&lt;&gt; T.A </formula></query></queries></nta>";
    let mut sources = Sources::new();
    let document = model_bytes(&mut sources, "m.xml", xml.as_bytes(), &mut Diagnostics::new()).unwrap();
    let [query] = &document.queries[..] else { panic!() };
    assert_eq!(sources.raw(query.span), "E&lt;&gt; T.A");
    assert_eq!(sources.path(query.span), Some("/nta/queries/query[2]/formula"));
}

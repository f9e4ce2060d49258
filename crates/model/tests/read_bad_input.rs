//! Input that is no model: it gives a located error, soon, and never a panic.

use model::diagnostic::{Code, Diagnostics};
use model::read::{model_bytes, model_file, query_file};
use model::source::Sources;
use std::time::{Duration, Instant};

/// Reads bytes and checks what holds for every input: spans lie within their file, on character borders, and when
/// nothing is read there is an error.
fn read(name: &str, bytes: &[u8]) -> Diagnostics {
    read_with_sources(name, bytes).1
}

fn read_with_sources(name: &str, bytes: &[u8]) -> (Sources, Diagnostics) {
    let mut sources = Sources::new();
    let mut diagnostics = Diagnostics::new();
    let document = model_bytes(&mut sources, name, bytes, &mut diagnostics);
    assert!(document.is_some() || diagnostics.has_errors());
    for diagnostic in diagnostics.iter() {
        assert!(!diagnostic.message.is_empty());
        for span in diagnostic.span.into_iter().chain(diagnostic.notes.iter().filter_map(|note| note.span)) {
            let text = &sources.file(span.file).text;
            assert!(text.get(span.start as usize..span.end as usize).is_some(), "{diagnostic:?}");
            sources.path(span);
        }
    }
    (sources, diagnostics)
}

/// The first error of an XML file: its code, line and column.
fn error(bytes: &[u8]) -> (&'static str, usize, usize) {
    let (sources, diagnostics) = read_with_sources("m.xml", bytes);
    let error = diagnostics.iter().find(|diagnostic| diagnostic.is_error()).expect("an error");
    let span = error.span.expect("a place");
    let place = sources.line_column(span.file, span.start);
    (error.code.0, place.line, place.column)
}

const MODEL: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'http://www.it.uu.se/flat-1_2.dtd' [<!ENTITY n "5">]>
<nta>
  <declaration>// é
clock x; chan a[2]; int[0,&n;] i; void f() { for (k : int[0,1]) { i = k; } }</declaration>
  <template>
    <name>T</name><parameter>const int p, int &amp;q</parameter>
    <location id="id0"><name>A</name><label kind="invariant">x &lt;= 5 &amp;&amp; x' == 1</label></location>
    <location id="id1"><label kind="exponentialrate"><![CDATA[1 < 2 ? 1 : 2]]></label><committed/></location>
    <branchpoint id="b"/><init ref="id0"/><!-- here -->
    <transition><source ref="id0"/><target ref="b"/><label kind="select">s : int[0,1]</label>
      <label kind="guard">forall (k : int[0,1]) x &gt;= k</label><label kind="synchronisation">a[s]!</label>
      <label kind="assignment">x = 0, f()</label></transition>
    <transition><source ref="b"/><target ref="id1"/><label kind="probability">3</label></transition>
  </template>
  <system>int z; P = T(1, z); system P;</system>
  <queries><query><formula>E&lt;&gt; P.A</formula><comment>?</comment></query></queries>
</nta>
"#;

#[test]
fn the_model_itself_is_good() {
    assert!(read("m.xml", MODEL.as_bytes()).is_empty());
}

#[test]
fn a_model_cut_off_anywhere() {
    let bytes = MODEL.as_bytes();
    for length in 0..bytes.len() - 1 {
        let cut = &bytes[..length];
        let whole = MODEL.get(..length).is_some_and(|cut| cut.trim_end().ends_with("</nta>"));
        assert!(whole || read("m.xml", cut).has_errors(), "{length}");
        read("m.xta", cut);
    }
}

/// A small generator of random numbers (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

#[test]
fn a_model_with_random_damage() {
    const BITS: &[&[u8]] = &[
        b"<",
        b">",
        b"&",
        b";",
        b"'",
        b"\"",
        b"\0",
        b"\xff",
        b"]]>",
        b"<![CDATA[",
        b"<!--",
        b"-->",
        b"&lt;",
        b"&n;",
        b"&#0;",
        b"<name>",
        b"</label>",
        b"\r\n",
        b"{",
        b"(",
        b"/*",
        b"@",
        b"99999999999",
        b"<!ENTITY a '&a;'>",
        b"\xef\xbb\xbf",
    ];
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..2_000 {
        let mut bytes = MODEL.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => drop(bytes.drain(at..(at + random.below(20)).min(bytes.len()))),
                2 => {
                    let piece = bytes[at..(at + random.below(60)).min(bytes.len())].to_vec();
                    let to = random.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
                _ => drop(bytes.splice(at..at, BITS[random.below(BITS.len())].iter().copied())),
            }
        }
        read("m.xml", &bytes);
    }
}

#[test]
fn damaged_xml_is_located() {
    let cases: [(&str, (&str, usize, usize)); 17] = [
        ("", ("E0010", 1, 1)),
        (" \n", ("E0010", 1, 1)),
        ("int x;", ("E0010", 1, 1)),
        ("<a/>", ("E0011", 1, 1)),
        ("\n <uppaal></uppaal>", ("E0011", 2, 2)),
        ("<nta>\n<template>\n</nta>", ("E0010", 3, 1)),
        ("<nta>\n  <template", ("E0010", 2, 3)),
        ("<nta>\n  <template>", ("E0010", 2, 3)),
        ("<nta>\n</nta></nta>", ("E0010", 2, 7)),
        ("<nta>\n<declaration>i < 5</declaration></nta>", ("E0010", 2, 16)),
        ("<nta>\n<declaration>i<N</declaration></nta>", ("E0010", 2, 15)),
        ("<nta>\n<declaration>a && b</declaration></nta>", ("E0010", 2, 16)),
        ("<nta>\n<declaration>&nbsp;</declaration></nta>", ("E0010", 2, 14)),
        ("<nta a='1' a='2'/>", ("E0010", 1, 12)),
        ("<nta><!-- a -- b\n</nta>", ("E0010", 1, 6)),
        ("<nta><declaration>\u{1}</declaration></nta>", ("E0010", 1, 19)),
        (
            "<!DOCTYPE nta [<!ENTITY a '&b;'><!ENTITY b '&a;'>]><nta><declaration>&a;</declaration></nta>",
            ("E0010", 1, 48),
        ),
    ];
    for (xml, place) in cases {
        assert_eq!(error(xml.as_bytes()), place, "{xml}");
    }
}

fn within(seconds: u64, what: &str, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    assert!(start.elapsed() < Duration::from_secs(seconds), "{what} took {:?}", start.elapsed());
}

#[test]
fn what_is_made_to_blow_up_is_refused() {
    let laughs: String = (1..10).map(|n| format!("<!ENTITY l{n} '{}'>", format!("&l{};", n - 1).repeat(10))).collect();
    let numbered = |n: usize, piece: fn(usize) -> String| (0..n).map(piece).collect::<String>();
    let cases = [
        ("billion laughs", format!("<!DOCTYPE nta [<!ENTITY l0 'ha'>{laughs}]><nta>&l9;</nta>"), "E0003"),
        (
            "one long entity, often",
            format!("<!DOCTYPE nta [<!ENTITY a '{}'>]><nta>{}</nta>", "x".repeat(1 << 20), "&a;".repeat(1 << 18)),
            "E0003",
        ),
        ("an entity of tags", "<!DOCTYPE nta [<!ENTITY a '<b></b>'>]><nta>&a;</nta>".to_owned(), "E0010"),
        (
            "many entities",
            format!("<!DOCTYPE nta [{}]><nta/>", numbered(100_000, |n| format!("<!ENTITY e{n} ''>"))),
            "E0010",
        ),
        ("deep nesting", format!("<nta>{}{}</nta>", "<a>".repeat(100_000), "</a>".repeat(100_000)), "E0105"),
        ("deep nesting, not closed", "<nta>".repeat(300_000), "E0105"),
        ("many attributes", format!("<nta {}/>", numbered(200_000, |n| format!("a{n}='' "))), "E0003"),
        ("many namespaces", format!("<nta>{}</nta>", numbered(50_000, |n| format!("<a xmlns:n{n}='u{n}'/>"))), "E0003"),
        ("many nodes", format!("<nta>{}</nta>", "<a/>".repeat(5_000_000)), "E0003"),
        ("many equal signs", format!("<nta>{}</nta>", "=".repeat(10_000_000)), "E0003"),
        ("many open brackets", "<".repeat(1_000_000), "E0010"),
        ("many ampersands", format!("<nta>{}</nta>", "&".repeat(1_000_000)), "E0010"),
        ("many quotes", format!("<nta {}", "'".repeat(1_000_000)), "E0010"),
        ("many open comments", format!("<nta>{}", "<!--".repeat(1_000_000)), "E0010"),
    ];
    for (what, xml, code) in cases {
        within(10, what, || assert_eq!(error(xml.as_bytes()).0, code, "{what}"));
    }
}

#[test]
fn a_large_model_is_read_in_linear_time() {
    let locations: String = (0..20_000)
        .map(|n| format!("<location id='i{n}'><name>L{n}</name><label kind='invariant'>x &lt; 5</label></location>"))
        .collect();
    let xml = format!(
        "<nta><declaration>clock x;</declaration><template><name>T</name>{locations}<init ref='i0'/></template>\
         <system>system T;</system></nta>"
    );
    within(10, "20,000 locations", || assert!(read("m.xml", xml.as_bytes()).is_empty()));
    let bad = xml.replace("x &lt; 5", "@");
    within(10, "20,000 errors", || assert!(read("m.xml", bad.as_bytes()).len() <= 2 * model::limits::DIAGNOSTICS));
    let dangling = "<transition><source ref='q'/><target ref='q'/></transition>".repeat(20_000);
    let bad = xml.replace("<init ref='i0'/>", &format!("<init ref='i0'/>{dangling}"));
    within(10, "40,000 dangling references", || assert!(read("m.xml", bad.as_bytes()).has_errors()));
}

#[test]
fn encodings() {
    let utf16 = |unit: fn(u16) -> [u8; 2], mark: &[u8]| -> Vec<u8> {
        mark.iter().copied().chain(MODEL.encode_utf16().flat_map(unit)).collect()
    };
    assert!(read("m.xml", &utf16(u16::to_le_bytes, &[0xFF, 0xFE])).is_empty());
    assert!(read("m.xml", &utf16(u16::to_be_bytes, &[0xFE, 0xFF])).is_empty());
    assert!(read("m.xml", &utf16(u16::to_le_bytes, &[])).is_empty());
    assert!(read("m.xml", &[&[0xEF, 0xBB, 0xBF], MODEL.as_bytes()].concat()).is_empty());

    let latin1: Vec<u8> = MODEL.chars().map(|c| c as u8).collect();
    let diagnostics = read("m.xml", &latin1);
    let warning = diagnostics.iter().next().unwrap();
    assert_eq!((diagnostics.len(), warning.code), (1, Code::IGNORED));
    assert_eq!(warning.span.unwrap().start as usize, MODEL.find('é').unwrap());
    let declared = String::from_utf8_lossy(&latin1[..40]).replace("utf-8", "iso-8859-1").into_bytes();
    assert!(read("m.xml", &[&declared, &latin1[40..]].concat()).is_empty());

    assert_eq!(error(b"<nta>\n\0</nta>"), ("E0002", 2, 1));
    assert_eq!(error(b"\x7fELF\x02\x01\x01\0\0"), ("E0002", 1, 8));
}

#[test]
fn the_content_goes_before_the_name_when_it_is_plainly_xml() {
    for name in ["m.xml", "m.XML", "m.xta", "m", "m.xml.txt"] {
        assert!(read(name, MODEL.as_bytes()).is_empty(), "{name}");
    }
    let diagnostics = read("m.xml", b"process P() { state A; init A; } system P;");
    assert!(diagnostics.iter().any(|diagnostic| diagnostic.code == Code::XML && !diagnostic.notes.is_empty()));
    let diagnostics = read("m.xta", b"process P() { state A; init A; } system P;");
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let directory = std::env::temp_dir().join(format!("read-bad-input-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let large = directory.join("large.xml");
    std::fs::File::create(&large).unwrap().set_len(model::limits::FILE_BYTES as u64 + 1).unwrap();
    let good = directory.join("good.xml");
    std::fs::write(&good, MODEL).unwrap();
    let missing = directory.join("missing.xml");
    let message = |path: &std::path::Path| {
        let mut diagnostics = Diagnostics::new();
        let document = model_file(&mut Sources::new(), path, &mut diagnostics);
        assert_eq!(document.is_some(), diagnostics.is_empty());
        let mut of_queries = Diagnostics::new();
        query_file(&mut Sources::new(), path, &mut of_queries);
        let first = diagnostics.iter().next().map(|diagnostic| (diagnostic.code.0, diagnostic.message.clone()));
        assert!(first.is_none() || of_queries.iter().next().is_some());
        first
    };
    assert_eq!(message(&good), None);
    let said = [message(&missing), message(&directory), message(&large), message(&good.join("x"))].map(Option::unwrap);
    std::fs::remove_dir_all(&directory).unwrap();
    let expected = [
        ("E0001", "there is no such file"),
        ("E0001", "it is a directory"),
        ("E0003", "larger than 256 MiB"),
        ("E0001", "is not a directory"),
    ];
    for ((code, words), (expected_code, expected_words)) in said.iter().zip(expected) {
        assert!(*code == expected_code && words.contains(expected_words), "{code} {words}");
    }
}

//! A component as a model of its own in UPPAAL's XML: the channels, one template and its `IO` declaration.

use super::{ActionKind, Component, position};
use std::collections::BTreeMap;
use std::fmt::Write;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' \
                    'http://www.it.uu.se/research/group/darts/uppaal/flat-1_2.dtd'>\n";

impl Component {
    /// A model in UPPAAL's XML.
    pub fn uppaal(&self) -> String {
        let mut out = String::from(HEAD);
        // Writing to a string cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "<nta>\n<declaration>{}</declaration>", escaped(&self.channels()))?;
        let clocks = self.clock_declaration();
        writeln!(out, "<template>\n<name>{}</name>\n<declaration>{}</declaration>", self.name, escaped(&clocks))?;
        for (n, location) in self.locations.iter().enumerate() {
            let (x, y) = position(n);
            write!(out, "<location id=\"id{n}\" x=\"{x}\" y=\"{y}\"><name>{}</name>", location.name)?;
            label(out, "invariant", &location.invariant)?;
            writeln!(out, "</location>")?;
        }
        writeln!(out, "<init ref=\"id{}\"/>", self.initial)?;
        for edge in &self.edges {
            let mark = if edge.kind == ActionKind::Output { '!' } else { '?' };
            write!(out, "<transition><source ref=\"id{}\"/><target ref=\"id{}\"/>", edge.from, edge.to)?;
            label(out, "guard", &edge.guard)?;
            label(out, "synchronisation", &format!("{}{mark}", edge.action))?;
            label(out, "assignment", &edge.assignments())?;
            writeln!(out, "</transition>")?;
        }
        let inputs = self.inputs.iter().map(|action| format!("{action}?"));
        let outputs = self.outputs.iter().map(|action| format!("{action}!"));
        let actions: Vec<String> = inputs.chain(outputs).collect();
        let name = &self.name;
        writeln!(out, "</template>\n<system>system {name};\nIO {name} {{ {} }}</system>", actions.join(", "))?;
        writeln!(out, "</nta>")
    }

    /// The channels, arrays large enough for the indices that occur.
    fn channels(&self) -> String {
        let mut sizes: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for name in self.inputs.iter().chain(&self.outputs) {
            let mut parts = name.split('[');
            let entry = sizes.entry(parts.next().unwrap_or_default()).or_default();
            for (n, index) in parts.enumerate() {
                let index: u64 = index.trim_end_matches(']').parse().unwrap_or(0);
                if n == entry.len() {
                    entry.push(0);
                }
                entry[n] = entry[n].max(index + 1);
            }
        }
        let array = |(name, sizes): (&&str, &Vec<u64>)| {
            format!("{name}{}", sizes.iter().map(|size| format!("[{size}]")).collect::<String>())
        };
        let names: Vec<String> = sizes.iter().map(array).collect();
        if names.is_empty() { String::new() } else { format!("broadcast chan {};", names.join(", ")) }
    }
}

fn label(out: &mut String, kind: &str, text: &str) -> std::fmt::Result {
    if text.is_empty() {
        return Ok(());
    }
    write!(out, "<label kind=\"{kind}\">{}</label>", escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

//! An XML element as the reader of models sees it: its tag, its attributes and its text, each with its place.

use super::xml_entities::Entities;
use super::xml_scan::{span, tag_end};
use super::xml_text;
use crate::source::{FileId, Span, Text};
use roxmltree::Node;

/// What all elements of a file share.
#[derive(Clone, Copy)]
pub struct XmlFile<'a> {
    pub file: FileId,
    pub text: &'a str,
    pub entities: &'a Entities<'a>,
}

#[derive(Clone, Copy)]
pub struct Element<'a> {
    xml: XmlFile<'a>,
    node: Node<'a, 'a>,
}

/// The value of an attribute and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    pub value: &'a str,
    pub span: Span,
}

impl<'a> Element<'a> {
    pub fn new(xml: XmlFile<'a>, node: Node<'a, 'a>) -> Element<'a> {
        Element { xml, node }
    }

    /// The name of the element, without a namespace.
    pub fn tag(self) -> &'a str {
        self.node.tag_name().name()
    }

    pub fn children(self) -> impl Iterator<Item = Element<'a>> {
        self.node.children().filter(Node::is_element).map(move |node| Element { node, ..self })
    }

    pub fn children_named(self, tag: &str) -> impl Iterator<Item = Element<'a>> {
        self.children().filter(move |child| child.tag() == tag)
    }

    pub fn child(self, tag: &str) -> Option<Element<'a>> {
        self.children_named(tag).next()
    }

    pub fn attribute(self, name: &str) -> Option<Attribute<'a>> {
        let attribute = self.node.attribute_node(name)?;
        Some(Attribute { value: attribute.value(), span: span(self.xml.file, attribute.range_value()) })
    }

    /// The start tag, `<location id="id0">`.
    pub fn start_tag(self) -> Span {
        let start = self.node.range().start;
        span(self.xml.file, start..self.content_start())
    }

    fn content_start(self) -> usize {
        let range = self.node.range();
        tag_end(self.xml.text, range.start + 1).map_or(range.end, |(end, _)| end)
    }

    /// The text of the element up to its first child element.
    pub fn text(self) -> Text {
        let start = self.content_start();
        if start >= self.node.range().end {
            return Text::plain(self.xml.file, start as u32, "");
        }
        xml_text::decode(self.xml.file, self.xml.text, start, self.xml.entities)
    }

    /// The start tag and the text: what belongs to the element and not to one of its children.
    pub fn own_part(self) -> Span {
        let range = self.node.range();
        let end = self.node.children().find(Node::is_element).map_or(range.end, |child| child.range().start);
        span(self.xml.file, range.start..end)
    }
}

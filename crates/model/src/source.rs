//! Where text came from: files, spans, and lines and columns for people.
//!
//! Every token keeps its place in the file it was read from, also when it stands inside an XML label whose text had
//! entities (`x &lt;= 5`) or a CDATA section. The parser never sees the file: it sees a [`Text`], the decoded stretch of
//! one label or one whole text file, which knows how to map its own offsets back to the file.

use std::ops::Range;

/// One file of a [`Sources`] table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(u32);

/// A stretch of a file, in bytes of its decoded (UTF-8) text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both. Spans of different files do not mix: the first wins.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A line and a column, both counted from 1, the column in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineColumn {
    pub line: usize,
    pub column: usize,
}

/// A file that was read, with what is needed to name a place in it.
#[derive(Debug)]
pub struct SourceFile {
    /// As the user named it.
    pub name: String,
    pub text: String,
    line_starts: Vec<u32>,
    /// Stretches with an XPath of their own, in the order of their start.
    fragments: Vec<(Range<u32>, String)>,
}

/// All files of one run.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds a file. The caller makes sure that the text is shorter than 4 GiB (see [`crate::limits`]).
    pub fn add(&mut self, name: impl Into<String>, text: String) -> FileId {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile { name: name.into(), text, line_starts, fragments: Vec::new() });
        id
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// Names a stretch of a file, as `/nta/template[2]/transition[3]/label[1]`.
    pub fn add_fragment(&mut self, span: Span, path: String) {
        let fragments = &mut self.files[span.file.0 as usize].fragments;
        let at = fragments.partition_point(|(range, _)| range.start <= span.start);
        fragments.insert(at, (span.start..span.end, path));
    }

    pub fn line_column(&self, file: FileId, offset: u32) -> LineColumn {
        let file = self.file(file);
        let line = file.line_starts.partition_point(|start| *start <= offset);
        let start = file.line_starts[line - 1] as usize;
        let end = (offset as usize).min(file.text.len());
        let column = file.text.get(start..end).map_or(0, |text| text.chars().count());
        LineColumn { line, column: column + 1 }
    }

    /// The XPath of the XML element whose text holds the span, for files that are XML.
    pub fn path(&self, span: Span) -> Option<&str> {
        let fragments = &self.file(span.file).fragments;
        let after = fragments.partition_point(|(range, _)| range.start <= span.start);
        let (range, path) = fragments.get(after.checked_sub(1)?)?;
        (span.start <= range.end).then_some(path.as_str())
    }

    /// The raw text of a span, entities and all.
    pub fn raw(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

/// A stretch of model text as the parser sees it, and the way back to the file.
#[derive(Clone, Debug)]
pub struct Text {
    file: FileId,
    text: String,
    /// Pairs (offset in `text`, offset in the file), ascending; between two pairs both advance alike.
    map: Vec<(u32, u32)>,
    /// One past the last byte in the file.
    end: u32,
}

impl Text {
    /// A whole file, or a part of one that needed no decoding, starting at `start` in the file.
    pub fn plain(file: FileId, start: u32, text: &str) -> Text {
        Text { file, text: text.to_owned(), map: vec![(0, start)], end: start + text.len() as u32 }
    }

    /// Decoded text with its map. `map` starts at 0 and ascends.
    pub fn decoded(file: FileId, text: String, map: Vec<(u32, u32)>, end: u32) -> Text {
        Text { file, text, map, end }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn file(&self) -> FileId {
        self.file
    }

    /// The span in the file of a range of this text.
    pub fn span(&self, range: Range<usize>) -> Span {
        let start = self.offset(range.start);
        let end = if range.end > range.start {
            // The end of the last character: where the next one starts, unless decoding jumped in between.
            self.offset(range.end).max(start)
        } else {
            start
        };
        Span { file: self.file, start, end }
    }

    /// A part of this text as a text of its own, such as one query of a file. The range lies on character borders.
    pub fn slice(&self, range: Range<usize>) -> Text {
        let (start, end) = (range.start as u32, range.end as u32);
        let mut map = vec![(0, self.offset(range.start))];
        let inside = self.map.iter().filter(|(decoded, _)| start < *decoded && *decoded < end);
        map.extend(inside.map(|(decoded, raw)| (decoded - start, *raw)));
        let text = self.text.get(range.clone()).unwrap_or_default().to_owned();
        Text { file: self.file, text, map, end: self.span(range).end }
    }

    fn offset(&self, at: usize) -> u32 {
        if at >= self.text.len() {
            return self.end;
        }
        let at = at as u32;
        let after = self.map.partition_point(|(decoded, _)| *decoded <= at);
        match self.map.get(after.wrapping_sub(1)) {
            Some((decoded, raw)) => raw + (at - decoded),
            None => self.end,
        }
    }
}

//! Changes of structure: of the words of a text, of its lines, and of the parts of an XML file.

use search::random::Random;
use std::ops::Range;

/// What a number becomes.
const NUMBERS: &[&str] =
    &["0", "1", "2", "3", "7", "-1", "32767", "65536", "2147483647", "-2147483648", "1.5", "1000000", "2147483646"];

/// What an operator becomes; the second column is how XML writes it.
const OPERATORS: &[(&str, &str)] = &[
    ("<", "&lt;"),
    ("<=", "&lt;="),
    ("==", "=="),
    ("!=", "!="),
    (">=", "&gt;="),
    (">", "&gt;"),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("%", "%"),
    ("&&", "&amp;&amp;"),
    ("||", "||"),
    ("!", "!"),
    ("?", "?"),
    ("=", "="),
    ("+=", "+="),
    ("++", "++"),
    ("<<", "&lt;&lt;"),
    (">>", "&gt;&gt;"),
    ("&", "&amp;"),
    ("|", "|"),
    ("^", "^"),
    ("'", "'"),
    (",", ","),
    (";", ";"),
    (":", ":"),
    (".", "."),
    ("<?", "&lt;?"),
    (">?", "&gt;?"),
    ("imply", "imply"),
    ("and", "and"),
    ("not", "not"),
];

/// Pieces of the language that may stand where an expression or a statement does.
const PHRASES: &[&str] = &[
    "forall (q : int[0,3]) q != 2",
    "exists (q : int[0,1]) q == 1",
    "(1 ? 2 : 3)",
    "x <= 5 || x >= 7",
    "x' == 0",
    "x' == 2",
    "deadlock",
    "a[0]",
    "a[-1]",
    "f(1)",
    "i++",
    "i--",
    "clock zz;",
    "urgent",
    "committed",
    "broadcast chan zz;",
    "int[0,2147483647] zz;",
    "const int zz = 1/0;",
    "while (true) {}",
    "for (q : int[0,9]) {}",
    "return 0;",
    "typedef scalar[3] zz;",
    "meta int zz;",
    "struct { int q; } zz;",
    "1 / 0",
    "random(2.0)",
    "int zz[1000000];",
    "x - y < 3",
    "select q : int[0,9]",
    "true",
    "false",
    "id_t",
    "system P;",
    "chan priority a < default;",
];

/// One to three changes of words or lines. `xml` says that operators are written as XML has them.
pub fn change(random: &mut Random, text: &str, xml: bool) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.index(3) {
        text = if random.below(8) == 0 { change_lines(random, &text) } else { change_words(random, &text, xml) };
    }
    text
}

fn change_words(random: &mut Random, text: &str, xml: bool) -> String {
    let words = words(text);
    if words.is_empty() {
        return PHRASES[random.index(PHRASES.len())].to_owned();
    }
    let place = words[random.index(words.len())].clone();
    let other = words[random.index(words.len())].clone();
    let word = &text[place.clone()];
    let with = match random.below(8) {
        0 => String::new(),
        1 => format!("{word} {word}"),
        2 => PHRASES[random.index(PHRASES.len())].to_owned(),
        3 => text[other].to_owned(),
        _ if word.starts_with(|c: char| c.is_ascii_digit()) => number(random, word),
        _ if word.starts_with(|c: char| c.is_alphabetic() || c == '_') => same_kind(random, text, &words),
        _ => {
            let (plain, escaped) = OPERATORS[random.index(OPERATORS.len())];
            if xml { escaped } else { plain }.to_owned()
        }
    };
    format!("{}{with}{}", &text[..place.start], &text[place.end..])
}

/// A number near another, or one of those that break things.
fn number(random: &mut Random, word: &str) -> String {
    match (random.below(3), word.parse::<i64>()) {
        (0, Ok(value)) => value.saturating_add(1).to_string(),
        (1, Ok(value)) => value.saturating_sub(1).to_string(),
        _ => NUMBERS[random.index(NUMBERS.len())].to_owned(),
    }
}

/// A name of the same text.
fn same_kind(random: &mut Random, text: &str, words: &[Range<usize>]) -> String {
    let is_name = |word: &&Range<usize>| text[(*word).clone()].starts_with(|c: char| c.is_alphabetic() || c == '_');
    let names: Vec<&Range<usize>> = words.iter().filter(is_name).collect();
    names.get(random.index(names.len())).map_or_else(String::new, |name| text[(*name).clone()].to_owned())
}

fn change_lines(random: &mut Random, text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return String::new();
    }
    let (one, other) = (random.index(lines.len()), random.index(lines.len()));
    match random.below(3) {
        0 => {
            lines.remove(one);
        }
        1 => lines.insert(other, lines[one]),
        _ => lines.swap(one, other),
    }
    lines.join("\n") + "\n"
}

/// Names, numbers, escapes of XML, and runs of other characters of which several make one operator.
pub fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, first)) = rest.next() {
        if first.is_whitespace() {
            continue;
        }
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        let in_operator = |c: char| "<>=&|+-!?".contains(c);
        let mut end = start + first.len_utf8();
        while let Some((at, next)) = rest.peek().copied() {
            let goes_on = if in_word(first) { in_word(next) } else { in_operator(first) && in_operator(next) };
            if !goes_on {
                break;
            }
            end = at + next.len_utf8();
            rest.next();
        }
        words.push(start..end);
    }
    words
}

/// A change of an XML file: of the text of one label or declaration, or of a whole element.
pub fn change_xml(random: &mut Random, text: &str) -> String {
    let element =
        ["transition", "location", "template", "label", "nail", "branchpoint", "query", "init", "urgent", "committed"];
    if random.below(5) == 0 {
        let name = element[random.index(element.len())];
        if let Some(changed) = change_element(random, text, name) {
            return changed;
        }
    }
    let texts = texts_of_xml(text);
    if texts.is_empty() {
        return change(random, text, true);
    }
    let place = texts[random.index(texts.len())].clone();
    let with = change(random, &text[place.clone()], true);
    format!("{}{with}{}", &text[..place.start], &text[place.end..])
}

/// Leaves one element out, doubles it, or puts another of its kind in its place.
fn change_element(random: &mut Random, text: &str, name: &str) -> Option<String> {
    let elements = elements(text, name);
    let place = elements.get(random.index(elements.len()))?.clone();
    let other = elements.get(random.index(elements.len()))?.clone();
    let with = match random.below(3) {
        0 => String::new(),
        1 => text[place.clone()].repeat(2),
        _ => text[other].to_owned(),
    };
    Some(format!("{}{with}{}", &text[..place.start], &text[place.end..]))
}

fn elements(text: &str, name: &str) -> Vec<Range<usize>> {
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(&open).map(|at| from + at) {
        let tag = text[start..].find('>').map(|at| start + at + 1).unwrap_or(text.len());
        let end = match text[..tag].ends_with("/>") {
            true => tag,
            false => text[tag..].find(&close).map_or(tag, |at| tag + at + close.len()),
        };
        found.push(start..end);
        from = tag;
    }
    found
}

/// The texts between tags that are more than white space.
fn texts_of_xml(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(close) = text[from..].find('>').map(|at| from + at + 1) {
        let open = text[close..].find('<').map_or(text.len(), |at| close + at);
        if !text[close..open].trim().is_empty() {
            found.push(close..open);
        }
        from = open.max(close);
    }
    found
}

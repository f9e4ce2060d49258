//! From bytes to text.
//!
//! Models come in UTF-8 with or without a byte order mark, in UTF-16, and in the 8-bit encodings of western Windows and
//! Unix. The names of the language are ASCII, so a wrong guess among the 8-bit encodings only touches comments: what is
//! not UTF-8 and declares nothing is read as ISO 8859-1 with a warning. Bytes that are no text at all are an error.

/// What became of the bytes.
#[derive(Debug, PartialEq)]
pub struct Decoded {
    pub text: String,
    /// Why the text may not be what its author wrote, and where in `text` that first shows.
    pub doubt: Option<(usize, String)>,
}

/// Bytes that are no text.
#[derive(Debug, PartialEq)]
pub struct NotText {
    /// What stands before the bad place, for showing it.
    pub before: String,
    pub reason: String,
}

/// Decodes a whole file. A byte order mark goes before anything else, then the encoding that an XML declaration names,
/// then UTF-8, then ISO 8859-1. The mark itself is dropped.
pub fn decode(bytes: &[u8]) -> Result<Decoded, NotText> {
    let decoded = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => eight_bit(rest, declared(rest)),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes)?,
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes)?,
        [b'<', 0, ..] => utf16(bytes, u16::from_le_bytes)?,
        [0, b'<', ..] => utf16(bytes, u16::from_be_bytes)?,
        _ => eight_bit(bytes, declared(bytes)),
    };
    match decoded.text.find('\0') {
        Some(at) => Err(not_text(&decoded.text, at, "a NUL byte, so this is no text file")),
        None => Ok(decoded),
    }
}

fn not_text(text: &str, at: usize, reason: &str) -> NotText {
    NotText { before: text.get(..at).unwrap_or_default().to_owned(), reason: reason.to_owned() }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Decoded, NotText> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len() / 2);
    for c in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        match c {
            Ok(c) => text.push(c),
            Err(_) => return Err(not_text(&text, text.len(), "half of a UTF-16 pair")),
        }
    }
    if odd.is_empty() {
        Ok(Decoded { text, doubt: None })
    } else {
        Err(not_text(&text, text.len(), "half of a UTF-16 character at the end of the file"))
    }
}

fn eight_bit(bytes: &[u8], declared: Option<&str>) -> Decoded {
    let name = declared.map(str::to_ascii_lowercase);
    let table = match name.as_deref() {
        Some("iso-8859-1" | "iso8859-1" | "iso_8859-1" | "latin-1" | "latin1" | "l1") => {
            Some(char::from as fn(u8) -> char)
        }
        Some("iso-8859-15" | "iso8859-15" | "iso_8859-15" | "latin-9" | "latin9") => Some(latin9 as fn(u8) -> char),
        Some("windows-1252" | "cp1252" | "cp-1252") => Some(windows_1252 as fn(u8) -> char),
        _ => None,
    };
    if let Some(table) = table {
        return Decoded { text: bytes.iter().map(|byte| table(*byte)).collect(), doubt: None };
    }
    let bad = match str::from_utf8(bytes) {
        Ok(text) => return Decoded { text: text.to_owned(), doubt: None },
        Err(error) => error.valid_up_to(),
    };
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    // In front of the first bad byte there may be good characters of several bytes, now longer than they were.
    let at = bytes.iter().take(bad).map(|byte| char::from(*byte).len_utf8()).sum();
    let reason = match declared {
        Some(name) if !name.eq_ignore_ascii_case("utf-8") => {
            format!("the encoding `{name}` is not known, so the file is read as ISO 8859-1")
        }
        _ => "this is not UTF-8, so the file is read as ISO 8859-1".to_owned(),
    };
    Decoded { text, doubt: Some((at, reason)) }
}

/// The encoding that an XML declaration names.
fn declared(bytes: &[u8]) -> Option<&str> {
    let head = bytes.get(..bytes.len().min(400))?.trim_ascii_start();
    let declaration = head.strip_prefix(b"<?xml")?;
    let end = declaration.windows(2).position(|two| two == b"?>")?;
    let declaration = str::from_utf8(declaration.get(..end)?).ok()?;
    let (_, after) = declaration.split_once("encoding")?;
    let after = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    Some(after.get(1..)?.split_once(quote)?.0.trim())
}

fn latin9(byte: u8) -> char {
    match byte {
        0xA4 => '€',
        0xA6 => 'Š',
        0xA8 => 'š',
        0xB4 => 'Ž',
        0xB8 => 'ž',
        0xBC => 'Œ',
        0xBD => 'œ',
        0xBE => 'Ÿ',
        _ => char::from(byte),
    }
}

/// The 32 places where Windows differs from ISO 8859-1; five of them are not used.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn windows_1252(byte: u8) -> char {
    match byte.checked_sub(0x80).and_then(|at| WINDOWS_1252.get(usize::from(at))) {
        Some(c) => *c,
        None => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        decode(bytes).unwrap().text
    }

    #[test]
    fn marks_and_declarations_decide() {
        assert_eq!(text(b"int x;"), "int x;");
        assert_eq!(text("// é".as_bytes()), "// é");
        assert_eq!(text(b"\xEF\xBB\xBFint x;"), "int x;");
        assert_eq!(text(b"\xFF\xFE<\0n\0\xE9\0"), "<né");
        assert_eq!(text(b"\xFE\xFF\0<\0n\0\xE9"), "<né");
        assert_eq!(text(b"<\0n\0"), "<n");
        assert_eq!(text(b"\0<\0n"), "<n");
        assert_eq!(text(b"<?xml version='1.0' encoding='ISO-8859-1'?>\xE9\x80").chars().last(), Some('\u{80}'));
        assert_eq!(text(b"<?xml version=\"1.0\" encoding = \"windows-1252\"?>\x80").chars().last(), Some('€'));
        assert_eq!(text(b"<?xml version=\"1.0\" encoding=\"iso-8859-15\"?>\xA4").chars().last(), Some('€'));
        assert_eq!(text(b"\xFF\xFE=\xD8\x00\xDE"), "😀");
    }

    #[test]
    fn what_is_not_utf_8_is_read_with_a_doubt() {
        let decoded = decode(b"// \xE9t\xE9").unwrap();
        assert_eq!(decoded.text, "// été");
        assert_eq!(decoded.doubt, Some((3, "this is not UTF-8, so the file is read as ISO 8859-1".into())));
        // Good characters in front are spoilt too, and the place still fits the text.
        let decoded = decode(b"\xC3\xA9\xE9").unwrap();
        assert_eq!(decoded.text, "Ã©é");
        assert_eq!(decoded.doubt.unwrap().0, 4);
        let decoded = decode(b"<?xml version='1.0' encoding='koi8-r'?>\xE9").unwrap();
        assert!(decoded.doubt.unwrap().1.contains("`koi8-r`"));
        assert_eq!(decode(b"<?xml version='1.0' encoding='koi8-r'?>").unwrap().doubt, None);
    }

    #[test]
    fn junk_is_no_text() {
        assert_eq!(decode(b"ab\0c").unwrap_err().before, "ab");
        assert_eq!(decode(b"\xFF\xFEa\0b").unwrap_err().before, "a");
        assert_eq!(decode(b"\xFF\xFEa\0\x00\xD8b\0").unwrap_err().before, "a");
        assert_eq!(decode(b"\xFF\xFE\0\0<\0\0\0").unwrap_err().before, "");
    }
}

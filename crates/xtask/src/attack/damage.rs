//! Changes of bytes, whatever they mean.

use search::random::Random;

/// What breaks readers: the ends of number ranges, characters of several bytes, marks, brackets, halves of things.
const PIECES: &[&[u8]] = &[
    b"0",
    b"-1",
    b"32767",
    b"32768",
    b"2147483647",
    b"-2147483648",
    b"2147483648",
    b"9223372036854775808",
    b"1e308",
    b"0.1",
    b"\0",
    b"\xff",
    b"\xc3",
    "é".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{feff}".as_bytes(),
    "😀".as_bytes(),
    b"\r\n",
    b"\r",
    b"\t",
    b"<",
    b"&lt;",
    b"&amp",
    b"&#0;",
    b"&#x110000;",
    b"]]>",
    b"<![CDATA[",
    b"<!--",
    b"-->",
    b"\"",
    b"'",
    b"\\",
    b"{",
    b"}",
    b"(",
    b")",
    b"[",
    b"]",
    b";",
    b",",
    b"//",
    b"/*",
    b"*/",
    b"=",
    b"&&",
    b"!",
    b"?",
];

/// One to four changes.
pub fn damage(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.index(4) {
        change(random, &mut bytes);
    }
    bytes
}

fn change(random: &mut Random, bytes: &mut Vec<u8>) {
    let at = random.index(bytes.len() + 1);
    let to = at + random.index((bytes.len() - at).min(64) + 1);
    match random.below(8) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 if at < bytes.len() => bytes[at] = random.below(256) as u8,
        2 => {
            bytes.drain(at..to);
        }
        3 => {
            let copied = bytes[at..to].to_vec();
            let place = random.index(bytes.len() + 1);
            bytes.splice(place..place, copied);
        }
        4 => bytes.truncate(at),
        5 => {
            let (one, other) = (random.index(bytes.len() + 1), random.index(bytes.len() + 1));
            if one < bytes.len() && other < bytes.len() {
                bytes.swap(one, other);
            }
        }
        _ => {
            let piece = PIECES[random.index(PIECES.len())];
            let end = if random.below(2) == 0 { at } else { to };
            bytes.splice(at..end, piece.iter().copied());
        }
    }
}

//! Texts that say nothing: labels left empty, formulas that are only a comment.

/// Whether a text holds only white space and comments. A comment that is not closed is something: an error.
pub fn is_blank(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        rest = if let Some(line) = rest.strip_prefix("//") {
            line.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(block) = rest.strip_prefix("/*")
            && let Some((_, after)) = block.split_once("*/")
        {
            after
        } else {
            return rest.is_empty();
        };
        rest = rest.trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::is_blank;

    #[test]
    fn comments_and_white_space_are_blank() {
        for text in ["", " \r\n\t", "// a", "//a\n", "/* a */", " /**/ // b\n /* c\n */ ", "//NO_QUERY"] {
            assert!(is_blank(text), "{text:?}");
        }
        for text in ["a", "/", "/* a", "/*/", "// a\nb", "/**/b", "*/"] {
            assert!(!is_blank(text), "{text:?}");
        }
    }
}

//! Descriptions as doc comments that rustdoc reads as prose: no doctests, no links, no HTML.

/// Column at which long prose is broken.
const WIDTH: usize = 100;

/// The lines of a doc comment for a description, without the slashes.
///
/// Prose is escaped where Markdown or rustdoc would take it for something else, loses its indentation (four spaces are a code block, and a
/// code block is a doctest) and is broken at [`WIDTH`]; fenced code is kept and labelled `text`.
pub(super) fn lines(description: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    for line in description.trim().lines() {
        let line = line.replace('\t', "    ").replace('\r', "");
        let trimmed = line.trim();
        match (fence, fence_of(trimmed)) {
            (None, Some(opened)) => {
                fence = Some(opened);
                lines.push("```text".to_owned());
            }
            (Some(open), Some(closing))
                if closing.0 == open.0
                    && closing.1 >= open.1
                    && trimmed.chars().all(|c| c == open.0) =>
            {
                fence = None;
                lines.push("```".to_owned());
            }
            // The fence is ours, so a run of backticks inside must not end it.
            (Some(_), _) => lines.push(line.trim_end().replace("```", "` ` `")),
            (None, None) => wrap(&escape(trimmed), &mut lines),
        }
    }
    if fence.is_some() {
        lines.push("```".to_owned());
    }
    lines
}

fn fence_of(line: &str) -> Option<(char, usize)> {
    let first = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = line.chars().take_while(|c| *c == first).count();
    // "```code``` and more" on one line is an inline span, not a fence.
    (count >= 3 && !line[count..].contains('`')).then_some((first, count))
}

/// Escapes one line of prose; inline code is left alone where its backticks pair up.
fn escape(line: &str) -> String {
    let pairs_up = line.matches('`').count().is_multiple_of(2) && !line.contains("``");
    let mut result = String::new();
    let mut in_code = false;
    for (index, part) in line.split('`').enumerate() {
        if index > 0 {
            if pairs_up {
                in_code = !in_code;
                result.push('`');
            } else {
                result.push_str("\\`");
            }
        }
        if in_code {
            result.push_str(part);
        } else {
            result.push_str(&escape_prose(part));
        }
    }
    // Underlines and rules would turn the line before into a heading.
    let is_rule = result.len() > 1
        && result
            .chars()
            .all(|c| matches!(c, '=' | '-' | ' ' | '*' | '_' | '|' | ':'));
    if is_rule {
        format!("\\{result}")
    } else {
        result
    }
}

/// Escapes prose but for its links, which stay links.
fn escape_prose(part: &str) -> String {
    let words = |text: &str| {
        text.split(' ')
            .map(escape_word)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut result = String::new();
    let mut rest = part;
    while let Some(middle) = rest.find("](http") {
        let end = rest[middle..].find(')').map(|length| middle + length);
        let start = rest[..middle].rfind('[');
        let (Some(start), Some(end)) = (start, end) else {
            break;
        };
        let is_plain = !rest[start + 1..middle].contains(['<', '>', ']', '\\'])
            && !rest[middle + 2..end].contains([' ', '(', '<', '>']);
        if is_plain {
            result.push_str(&words(&rest[..start]));
            result.push_str(&rest[start..=end]);
        } else {
            result.push_str(&words(&rest[..=end]));
        }
        rest = &rest[end + 1..];
    }
    result + &words(rest)
}

/// Escapes one word; a bare address becomes a link, for rustdoc warns about it otherwise.
fn escape_word(word: &str) -> String {
    let start = ["http://", "https://"]
        .iter()
        .filter_map(|scheme| word.find(scheme))
        .min();
    if let Some(start) = start {
        let tail = &word[start..];
        let end = tail
            .find([
                '<', '>', '"', '\'', ')', ']', '}', '|', '\\', '*', '[', '(', '{',
            ])
            .unwrap_or(tail.len());
        let address = tail[..end].trim_end_matches(['.', ',', ';', ':', '!', '?']);
        if address.len() > "https://".len() {
            return format!(
                "{}<{address}>{}",
                escape_text(&word[..start]),
                escape_text(&tail[address.len()..])
            );
        }
    }
    escape_text(word)
}

fn escape_text(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '<' | '>' | '[' | ']' | '*') {
            result.push('\\');
        }
        // Control characters and those that turn the direction of text have no place in a source file.
        if !c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
            result.push(c);
        }
    }
    result
}

/// Breaks a line of prose, never before a word that would begin a list, a heading or a quote.
fn wrap(line: &str, lines: &mut Vec<String>) {
    let mut current = String::new();
    let mut ticks = 0;
    for word in line.split(' ').filter(|word| !word.is_empty()) {
        let is_special = word.starts_with(['-', '+', '*', '#', '>', '=', '|', ':', '~', '`'])
            || word.ends_with(['.', ')'])
                && word.chars().next().is_some_and(|c| c.is_ascii_digit());
        if !current.is_empty()
            && current.chars().count() + word.chars().count() >= WIDTH
            && !is_special
            && ticks % 2 == 0
        {
            lines.push(std::mem::take(&mut current));
        }
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(word);
        ticks += word.matches('`').count();
    }
    lines.push(current);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_stays_prose() {
        let cases = [
            ("a <b> [c] d\\e", "a \\<b\\> \\[c\\] d\\\\e"),
            ("    let x = 1;", "let x = 1;"),
            ("use `Vec<u8>` here", "use `Vec<u8>` here"),
            ("an odd ` tick", "an odd \\` tick"),
            (
                "see (https://x.example/a_b).",
                "see (<https://x.example/a_b>).",
            ),
            (
                "[a b](https://x.example/y) [z]",
                "[a b](https://x.example/y) \\[z\\]",
            ),
            ("=====", "\\====="),
            ("ends */ and \"# and &lt;", "ends \\*/ and \"# and &lt;"),
        ];
        for (text, expected) in cases {
            assert_eq!(lines(text).join("\n"), expected, "{text}");
        }
    }

    #[test]
    fn code_is_labelled_and_closed() {
        assert_eq!(
            lines("x\n```\n  let y;\n```\n~~~yaml\na: [b]"),
            [
                "x", "```text", "  let y;", "```", "```text", "a: [b]", "```"
            ]
        );
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let long = lines(&"word ".repeat(60));
        assert!(
            long.len() == 3 && long.iter().all(|line| line.len() <= WIDTH),
            "{long:?}"
        );
        let listed = lines(&format!("{} - x", "y".repeat(99)));
        assert_eq!(listed[1], "x", "a dash would begin a list");
    }
}

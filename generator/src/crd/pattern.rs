//! A text that matches a pattern.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::random::Random;

/// A text for a pattern as CRDs have them (RE2, which `regex-syntax` reads), the shortest or a random one. `None` if it cannot be read.
pub(super) fn matching(pattern: &str, random: &mut Option<Random>) -> Option<String> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let mut out = String::new();
    write(&hir, random, &mut out);
    Some(out)
}

fn write(hir: &Hir, random: &mut Option<Random>, out: &mut String) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => out.push(member(class, random)),
        HirKind::Capture(capture) => write(&capture.sub, random, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, random, out)),
        HirKind::Alternation(parts) => {
            let index = random
                .as_mut()
                .map_or(0, |random| random.below(parts.len()));
            write(&parts[index], random, out);
        }
        HirKind::Repetition(repetition) => {
            let room = repetition
                .max
                .map_or(3, |max| max.saturating_sub(repetition.min))
                .min(3);
            let more = random
                .as_mut()
                .map_or(0, |random| random.below(room as usize + 1));
            for _ in 0..repetition.min as usize + more {
                write(&repetition.sub, random, out);
            }
        }
    }
}

/// A member of a class, one that reads well if there is one.
fn member(class: &Class, random: &mut Option<Random>) -> char {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class
            .ranges()
            .iter()
            .map(|range| (range.start(), range.end()))
            .collect(),
        Class::Bytes(class) => class
            .ranges()
            .iter()
            .map(|range| (range.start().into(), range.end().into()))
            .collect(),
    };
    let has = |c: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c));
    let letters: Vec<char> = ('a'..='z')
        .chain('0'..='9')
        .chain('A'..='Z')
        .filter(|c| has(*c))
        .collect();
    let signs: Vec<char> = (' '..='~').filter(|c| has(*c)).collect();
    let choice = if letters.is_empty() { signs } else { letters };
    let index = random
        .as_mut()
        .map_or(0, |random| random.below(choice.len()));
    choice
        .get(index)
        .copied()
        .or_else(|| ranges.first().map(|range| range.0))
        .unwrap_or('a')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_texts_match() {
        let cases = [
            (r"^([0-9]+(\.[0-9]+)?(s|m|h))+$", "0h"),
            ("^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", ""),
            (r"^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$", "0 0 0 0 0"),
            ("^[^/]*$", ""),
            (r"\ *x", "x"),
        ];
        for (pattern, expected) in cases {
            assert_eq!(
                matching(pattern, &mut None).as_deref(),
                Some(expected),
                "{pattern}"
            );
        }
    }
}

//! Durations as attributes write them: `"250ms"`, `"90s"`, `"1h30m"`.

use std::time::Duration;

use syn::LitStr;

const UNITS: [(&str, u64); 4] = [("h", 3_600_000), ("ms", 1), ("m", 60_000), ("s", 1_000)];

/// Reads `text`: numbers with the units `h`, `m`, `s`, `ms`, largest first, each at most once.
///
/// # Errors
/// What is wrong with the text, as half a sentence.
pub fn parse(text: &str) -> Result<Duration, String> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err("it is empty".to_owned());
    }
    let mut millis: u64 = 0;
    let mut smallest = u64::MAX;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, tail) = rest.split_at(digits);
        if number.is_empty() {
            return Err(format!("a number is missing before `{tail}`"));
        }
        let letters = tail.len() - tail.trim_start_matches(|c: char| c.is_alphabetic()).len();
        let (unit, tail) = tail.split_at(letters);
        let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(match unit {
                "" => format!("`{number}` has no unit"),
                unit => format!("`{unit}` is no unit"),
            });
        };
        if *factor >= smallest {
            return Err(format!(
                "`{number}{unit}` comes after a unit that is not larger"
            ));
        }
        smallest = *factor;
        millis = number
            .parse::<u64>()
            .ok()
            .and_then(|number| number.checked_mul(*factor))
            .and_then(|part| millis.checked_add(part))
            .ok_or_else(|| "it is too long".to_owned())?;
        rest = tail;
    }
    Ok(Duration::from_millis(millis))
}

/// Reads a string literal as a duration that is not zero.
///
/// # Errors
/// A message that points at the literal.
pub fn parse_literal(literal: &LitStr) -> syn::Result<Duration> {
    let text = literal.value();
    match parse(&text) {
        Ok(Duration::ZERO) => Err(syn::Error::new(
            literal.span(),
            format!("`{text}` is no time at all: give a duration above zero"),
        )),
        Ok(duration) => Ok(duration),
        Err(why) => Err(syn::Error::new(
            literal.span(),
            format!(
                "`{text}` is not a duration: {why}; write it like \"250ms\", \"90s\", \"30m\" or \"1h30m\""
            ),
        )),
    }
}

/// The duration as [`parse`] reads it.
#[must_use]
pub fn format(duration: Duration) -> String {
    let mut millis = duration.as_millis();
    let mut text = String::new();
    for (unit, factor) in [("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)] {
        let number = millis / factor;
        millis %= factor;
        if number > 0 {
            text.push_str(&format!("{number}{unit}"));
        }
    }
    if text.is_empty() {
        "0s".to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_unit_and_their_sum() {
        assert_eq!(parse("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse("30m"), Ok(Duration::from_secs(1800)));
        assert_eq!(parse("1h30m"), Ok(Duration::from_secs(5400)));
    }

    #[test]
    fn says_what_is_wrong() {
        let why = |text| parse(text).err().unwrap_or_default();
        assert_eq!(why("30"), "`30` has no unit");
        assert_eq!(why("30 m"), "`30` has no unit");
        assert_eq!(why("m"), "a number is missing before `m`");
        assert_eq!(why("3days"), "`days` is no unit");
        assert_eq!(why("30m1h"), "`1h` comes after a unit that is not larger");
        assert_eq!(why("1s1s"), "`1s` comes after a unit that is not larger");
        assert_eq!(why("99999999999999999999h"), "it is too long");
        assert_eq!(why(""), "it is empty");
    }

    #[test]
    fn formats_what_it_reads() {
        for text in ["250ms", "1m30s", "30m", "1h30m", "1h2m3s4ms"] {
            assert_eq!(parse(text).map(format).as_deref(), Ok(text));
        }
    }
}

//! String formats.
//!
//! The set is that of apiextensions (`supportedVersionedFormats`); an unknown format passes, as it does there.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use std::sync::LazyLock;

use regex::Regex;

/// Whether `value` has the format; `None` where the format is unknown or says nothing about strings.
pub(super) fn check(format: &str, value: &str) -> Option<bool> {
    if format == "date-time" {
        // By far the most frequent.
        return Some(date_time(value));
    }
    Some(
        match format.to_ascii_lowercase().replace('-', "").as_str() {
            "datetime" => date_time(value),
            "date" => jiff::civil::Date::from_str(value).is_ok() && value.len() == 10,
            "duration" => duration(value),
            "ipv4" => Ipv4Addr::from_str(value).is_ok(),
            "ipv6" => {
                value.contains(':')
                    && Ipv6Addr::from_str(value.split('%').next().unwrap_or_default()).is_ok()
            }
            "cidr" => cidr(value),
            "mac" => matches(&MAC, value),
            "uuid" => matches(&UUID, value),
            "uuid3" => uuid_of(&UUID, value, '3'),
            "uuid4" => uuid_of(&UUID_VARIANT, value, '4'),
            "uuid5" => uuid_of(&UUID_VARIANT, value, '5'),
            "hostname" => hostname(value),
            "email" => matches(&EMAIL, value),
            "uri" => uri(value),
            "byte" => base64(value),
            "hexcolor" => matches(&HEX_COLOR, value),
            "rgbcolor" => matches(&RGB_COLOR, value),
            "creditcard" => digits(value).is_some_and(|digits| digits.len() >= 12 && luhn(&digits)),
            "ssn" => matches(&SSN, value),
            "bsonobjectid" => {
                value.len() == 24 && value.bytes().all(|byte| byte.is_ascii_hexdigit())
            }
            "isbn" => isbn10(value) || isbn13(value),
            "isbn10" => isbn10(value),
            "isbn13" => isbn13(value),
            "k8sshortname" => value.len() <= 63 && matches(&DNS_LABEL, value),
            "k8slongname" => {
                value.len() <= 253 && value.split('.').all(|label| matches(&DNS_LABEL, label))
            }
            _ => return None,
        },
    )
}

/// RFC 3339, as Go reads it: `2020-01-02T03:04:05.678Z`, with `t`, `z` or offsets.
pub(crate) fn date_time(value: &str) -> bool {
    matches(&DATE_TIME, value) && {
        let upper = value.to_ascii_uppercase();
        jiff::Timestamp::from_str(&upper).is_ok() || upper.contains(":60")
    }
}

/// A duration of Go (`1h30m`), or of scala (`2 days`).
pub(crate) fn duration(value: &str) -> bool {
    value == "0" || matches(&GO_DURATION, value) || matches(&WORD_DURATION, value)
}

fn cidr(value: &str) -> bool {
    let Some((address, bits)) = value.split_once('/') else {
        return false;
    };
    let width = if Ipv4Addr::from_str(address).is_ok() {
        32
    } else if Ipv6Addr::from_str(address).is_ok() {
        128
    } else {
        return false;
    };
    bits.bytes().all(|byte| byte.is_ascii_digit())
        && bits.parse::<u8>().is_ok_and(|bits| bits <= width)
}

fn uuid_of(pattern: &Lazy, value: &str, version: char) -> bool {
    matches(pattern, value) && value.chars().filter(|c| *c != '-').nth(12) == Some(version)
}

fn hostname(value: &str) -> bool {
    !value.is_empty() && value.len() <= 253 && matches(&HOSTNAME, value)
}

fn uri(value: &str) -> bool {
    // A request URI: an absolute path, or a scheme and a rest, without spaces.
    let plain = !value.is_empty() && !value.chars().any(|c| c.is_ascii_control() || c == ' ');
    plain && (value.starts_with('/') || matches(&URI, value))
}

fn base64(value: &str) -> bool {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD
        .decode(value)
        .is_ok()
}

fn digits(value: &str) -> Option<Vec<u32>> {
    value
        .chars()
        .filter(|c| !matches!(c, ' ' | '-'))
        .map(|c| c.to_digit(10))
        .collect()
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| match (index % 2, digit * 2) {
            (0, _) => *digit,
            (_, double) if double > 9 => double - 9,
            (_, double) => double,
        })
        .sum();
    sum.is_multiple_of(10)
}

fn isbn10(value: &str) -> bool {
    let plain: Vec<char> = value.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
    if plain.len() != 10 {
        return false;
    }
    let digit = |(index, c): (usize, &char)| match c {
        'X' | 'x' if index == 9 => Some(10),
        c => c.to_digit(10),
    };
    let Some(digits) = plain
        .iter()
        .enumerate()
        .map(digit)
        .collect::<Option<Vec<u32>>>()
    else {
        return false;
    };
    digits
        .iter()
        .zip((1..=10).rev())
        .map(|(digit, weight)| digit * weight)
        .sum::<u32>()
        .is_multiple_of(11)
}

fn isbn13(value: &str) -> bool {
    let Some(digits) = digits(value).filter(|digits| digits.len() == 13) else {
        return false;
    };
    digits
        .iter()
        .zip([1, 3].into_iter().cycle())
        .map(|(digit, weight)| digit * weight)
        .sum::<u32>()
        .is_multiple_of(10)
}

type Lazy = LazyLock<Option<Regex>>;

fn matches(pattern: &Lazy, value: &str) -> bool {
    pattern.as_ref().is_some_and(|regex| regex.is_match(value))
}

macro_rules! patterns {
    ($($name:ident = $source:expr;)*) => {
        $(static $name: Lazy = LazyLock::new(|| Regex::new($source).ok());)*

        #[cfg(test)]
        fn all_patterns() -> Vec<(&'static str, bool)> {
            vec![$((stringify!($name), $name.is_some())),*]
        }
    };
}

patterns! {
    DATE_TIME = r"^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}([.,]\d+)?([Zz]|[+-]\d{2}:?\d{2})$";
    GO_DURATION = r"^[+-]?((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$";
    WORD_DURATION = r"^-?\d+(\.\d+)?\s*(ns|nano|nanosecond|us|µs|micro|microsecond|ms|milli|millisecond|s|sec|second|m|min|minute|h|hr|hour|d|day|w|wk|week)s?$";
    MAC = r"^([0-9A-Fa-f]{2}[:-]){5}([0-9A-Fa-f]{2}[:-]?){1,3}$|^([0-9A-Fa-f]{4}\.){2,3}[0-9A-Fa-f]{4}$";
    UUID = r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$";
    UUID_VARIANT = r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$";
    HOSTNAME = r"^([a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9])?)(\.[a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9])?)*\.?$";
    EMAIL = r#"^([^@\s<>"]+|"[^"]+")@[^@\s<>"]+$"#;
    URI = r"^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s]+$";
    HEX_COLOR = r"^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";
    RGB_COLOR = r"^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$";
    SSN = r"^\d{3}[- ]?\d{2}[- ]?\d{4}$";
    DNS_LABEL = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_compile() {
        assert_eq!(
            all_patterns()
                .iter()
                .filter(|(_, ok)| !ok)
                .collect::<Vec<_>>(),
            Vec::<&(&str, bool)>::new()
        );
    }

    #[test]
    fn formats_accept_and_refuse() {
        for (format, good, bad) in [
            ("date-time", "2020-01-02T03:04:05Z", "yesterday"),
            (
                "date-time",
                "2020-01-02T03:04:05.678+02:00",
                "2020-13-02T03:04:05Z",
            ),
            ("date", "2020-01-02", "2020-1-2"),
            ("duration", "1h30m", "1 fortnight"),
            ("ipv4", "10.0.0.1", "300.1.1.1"),
            ("ipv6", "::1", "10.0.0.1"),
            ("cidr", "10.0.0.0/8", "10.0.0.0/33"),
            ("mac", "01:23:45:67:89:ab", "01:23"),
            ("uuid", "c9bf9e57-1685-4c89-bafb-ff5af830be8a", "c9bf9e57"),
            (
                "uuid4",
                "c9bf9e57-1685-4c89-bafb-ff5af830be8a",
                "c9bf9e57-1685-5c89-bafb-ff5af830be8a",
            ),
            ("hostname", "a.example.com", "a..b"),
            ("email", "a@example.com", "a"),
            ("uri", "https://example.com/x", "example"),
            ("byte", "AAEC", "%%"),
            ("hexcolor", "#fff", "#ggg"),
            ("isbn10", "0-306-40615-2", "0-306-40615-1"),
            ("isbn13", "978-0-306-40615-7", "978-0-306-40615-8"),
            ("creditcard", "4111 1111 1111 1111", "4111 1111 1111 1112"),
        ] {
            assert_eq!(
                (check(format, good), check(format, bad)),
                (Some(true), Some(false)),
                "{format}"
            );
        }
        assert_eq!(check("nosuch", "x"), None);
        assert_eq!(check("password", "x"), None);
    }
}

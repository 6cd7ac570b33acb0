//! Kubernetes quantities in one normal form.
//!
//! Grammar and suffixes as in `k8s.io/apimachinery/pkg/api/resource`: decimal SI (`n` to `E`), binary SI (`Ki` to
//! `Ei`) and decimal exponents (`1e3`, `1E3`; a bare `E` is exa). Nothing is rounded: two quantities are equal when
//! their values are.

/// A value as `mantissa * 10^exponent`, the mantissa without trailing zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quantity {
    negative: bool,
    mantissa: u128,
    exponent: i64,
}

impl Quantity {
    /// Reads a quantity; `None` if it is none, or one too large to hold exactly.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, suffix) = rest.split_at(end);
        let (mantissa, point) = digits(number)?;
        let (factor, shift) = scale(suffix)?;
        Some(Self::reduced(
            negative,
            mantissa.checked_mul(factor)?,
            shift.checked_sub(point)?,
        ))
    }

    /// The one text of the value.
    pub(super) fn normal_form(self) -> String {
        let sign = if self.negative { "-" } else { "" };
        match self.exponent {
            0 => format!("{sign}{}", self.mantissa),
            exponent => format!("{sign}{}e{exponent}", self.mantissa),
        }
    }

    fn reduced(negative: bool, mut mantissa: u128, mut exponent: i64) -> Self {
        if mantissa == 0 {
            return Self {
                negative: false,
                mantissa,
                exponent: 0,
            };
        }
        while mantissa.is_multiple_of(10) {
            mantissa /= 10;
            exponent = exponent.saturating_add(1);
        }
        Self {
            negative,
            mantissa,
            exponent,
        }
    }
}

/// The digits as one integer, and how many of them stand behind the point.
fn digits(number: &str) -> Option<(u128, i64)> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let all = whole.bytes().chain(fraction.bytes());
    let mantissa = all.into_iter().try_fold(0_u128, |sum, digit| {
        sum.checked_mul(10)?.checked_add(u128::from(digit - b'0'))
    })?;
    Some((mantissa, i64::try_from(fraction.len()).ok()?))
}

/// What a suffix multiplies by: a factor and a power of ten.
fn scale(suffix: &str) -> Option<(u128, i64)> {
    let binary = |power: u32| Some((1_u128 << (10 * power), 0));
    let decimal = |exponent| Some((1, exponent));
    match suffix {
        "" => decimal(0),
        "n" => decimal(-9),
        "u" => decimal(-6),
        "m" => decimal(-3),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        "Ki" => binary(1),
        "Mi" => binary(2),
        "Gi" => binary(3),
        "Ti" => binary(4),
        "Pi" => binary(5),
        "Ei" => binary(6),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E'])?;
            decimal(exponent.parse::<i32>().ok()?.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_normal_form() {
        for (left, right) in [
            ("1000m", "1"),
            ("1", "1.000"),
            ("0.5", "500m"),
            (".5", "500m"),
            ("1.", "1"),
            ("1Ki", "1024"),
            ("1.5Gi", "1536Mi"),
            ("1Ei", "1152921504606846976"),
            ("1E", "1000P"),
            ("1E3", "1k"),
            ("1e3", "1000"),
            ("1e-3", "1m"),
            ("12E+2", "1200"),
            ("1000u", "1m"),
            ("1000n", "1u"),
            ("+5", "5"),
            ("-0", "0"),
            ("0Gi", "0"),
            ("007", "7"),
        ] {
            let (left_form, right_form) = (Quantity::parse(left), Quantity::parse(right));
            assert!(left_form.is_some(), "{left} is a quantity");
            assert_eq!(left_form, right_form, "{left} = {right}");
        }
    }

    #[test]
    fn different_values_differ() {
        for (left, right) in [
            ("1", "1m"),
            ("1", "-1"),
            ("1k", "1Ki"),
            ("1M", "1m"),
            ("1E", "1e1"),
        ] {
            assert_ne!(
                Quantity::parse(left),
                Quantity::parse(right),
                "{left} = {right}"
            );
        }
    }

    #[test]
    fn what_is_no_quantity_is_none() {
        for text in [
            "", "-", ".", "1.2.3", "1K", "Gi", "1 Gi", "1ki", "1e", "abc", "1e1.5", "--1",
        ] {
            assert_eq!(Quantity::parse(text), None, "{text:?}");
        }
    }
}

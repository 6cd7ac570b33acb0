//! Resource quantities in their canonical form (`k8s.io/apimachinery/pkg/api/resource`).

/// What the server says to a text that is no quantity.
pub(super) const FAULT: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// Powers of 1024, written with `i`.
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
/// Powers of 1000, from nano.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

/// `0.1` as `100m`, `1024Mi` as `1Gi`; `None` where the text is no quantity.
pub(super) fn canonical(text: &str) -> Option<String> {
    let (nanos, form) = parse(text)?;
    const NANO: i128 = 1_000_000_000;
    let sign = if nanos < 0 { "-" } else { "" };
    let size = nanos.unsigned_abs() as i128;
    if size == 0 {
        return Some("0".to_owned());
    }
    if form == Form::Binary && size >= 1024 * NANO && size % NANO == 0 {
        let mut whole = size / NANO;
        let mut power = 0;
        while whole % 1024 == 0 && power + 1 < BINARY.len() {
            whole /= 1024;
            power += 1;
        }
        return Some(format!("{sign}{whole}{}", BINARY[power]));
    }
    let mut mantissa = size;
    let mut power = 0;
    while mantissa % 1000 == 0 && power + 1 < DECIMAL.len() {
        mantissa /= 1000;
        power += 1;
    }
    if form == Form::Exponent {
        let exponent = power as i32 * 3 - 9;
        return Some(if exponent == 0 {
            format!("{sign}{mantissa}")
        } else {
            format!("{sign}{mantissa}e{exponent}")
        });
    }
    Some(format!("{sign}{mantissa}{}", DECIMAL[power]))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Decimal,
    Binary,
    Exponent,
}

/// In billionths, rounded up.
fn parse(text: &str) -> Option<(i128, Form)> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = rest
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(rest.len());
    let (number, suffix) = rest.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let mut value: i128 = format!("{whole}{fraction}").parse().ok()?;
    // `value` × 10^exponent billionths.
    let mut exponent = 9 - i32::try_from(fraction.len()).ok()?;
    let form = if let Some(power) = BINARY
        .iter()
        .position(|name| *name == suffix)
        .filter(|power| *power > 0)
    {
        value = value.checked_mul(1024_i128.checked_pow(u32::try_from(power).ok()?)?)?;
        Form::Binary
    } else if let Some(power) = DECIMAL.iter().position(|name| *name == suffix) {
        exponent += i32::try_from(power).ok()? * 3 - 9;
        Form::Decimal
    } else {
        exponent += suffix.strip_prefix(['e', 'E'])?.parse::<i32>().ok()?;
        Form::Exponent
    };
    let scale = 10_i128.checked_pow(exponent.unsigned_abs())?;
    let nanos = if exponent >= 0 {
        value.checked_mul(scale)?
    } else {
        (value + scale - 1) / scale
    };
    Some((if negative { -nanos } else { nanos }, form))
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn quantities_are_brought_to_their_canonical_form() {
        for (given, wanted) in [
            ("0.1", "100m"),
            ("1024Mi", "1Gi"),
            ("1000m", "1"),
            ("0", "0"),
            ("1.5Gi", "1536Mi"),
            ("2000", "2k"),
            ("100", "100"),
            ("12e3", "12e3"),
            ("512Ki", "512Ki"),
            ("-1", "-1"),
            ("0.5Ki", "512"),
            ("1500m", "1500m"),
        ] {
            assert_eq!(canonical(given).as_deref(), Some(wanted), "{given}");
        }
        for bad in ["", "x", "1.2.3", "1Zi", "--1"] {
            assert_eq!(canonical(bad), None, "{bad}");
        }
    }
}

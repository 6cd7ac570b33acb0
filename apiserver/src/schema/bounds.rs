//! Bounds of numbers.

use serde_json::{Number, Value};

use super::alternatives::composite;
use super::cause::Cause;
use super::model::{Schema, Type};
use super::path::Path;

/// Checks range, bounds and factor of `number`.
///
/// A number written without a fraction is compared as an integer, with the bounds cut to integers: so does the real
/// server, which makes `multipleOf: 0.5` fail for every whole number below.
pub(super) fn check(schema: &Schema, number: &Number, path: &Path<'_>, causes: &mut Vec<Cause>) {
    check_range(schema, number, path, causes);
    let value = Value::from(number.clone());
    let mut fail = |detail: String| causes.push(Cause::invalid(path, &value, detail));
    if let Some(factor) = &schema.multiple_of {
        check_factor(number, factor, path, &mut fail);
    }
    if let Some(max) = &schema.maximum {
        let (max, order) = compared(number, max);
        if order.is_gt() || schema.exclusive_maximum && order.is_eq() {
            let how = if schema.exclusive_maximum {
                ""
            } else {
                " or equal to"
            };
            fail(format!("{path} in body should be less than{how} {max}"));
        }
    }
    if let Some(min) = &schema.minimum {
        let (min, order) = compared(number, min);
        if order.is_lt() || schema.exclusive_minimum && order.is_eq() {
            let how = if schema.exclusive_minimum {
                ""
            } else {
                " or equal to"
            };
            fail(format!("{path} in body should be greater than{how} {min}"));
        }
    }
}

/// The bound as it is shown, and how `number` stands to it.
fn compared(number: &Number, bound: &Number) -> (String, std::cmp::Ordering) {
    match number.as_i64() {
        Some(value) => {
            let bound = truncated(bound);
            (bound.to_string(), value.cmp(&bound))
        }
        None => {
            let order = float(number)
                .partial_cmp(&float(bound))
                .unwrap_or(std::cmp::Ordering::Equal);
            (shown(float(bound)), order)
        }
    }
}

fn check_factor(number: &Number, factor: &Number, path: &Path<'_>, fail: &mut impl FnMut(String)) {
    match number.as_i64() {
        Some(value) => {
            let factor = truncated(factor);
            if factor <= 0 {
                fail(format!(
                    "factor MultipleOf declared for {path} must be positive: {factor}"
                ));
            } else if value % factor != 0 {
                fail(format!("{path} in body should be a multiple of {factor}"));
            }
        }
        None => {
            let (value, factor) = (float(number), float(factor));
            let quotient = if factor < 1.0 {
                value * (1.0 / factor)
            } else {
                value / factor
            };
            if factor <= 0.0 {
                fail(format!(
                    "factor MultipleOf declared for {path} must be positive: {}",
                    shown(factor)
                ));
            } else if (quotient - quotient.round()).abs() > f64::EPSILON * quotient.abs().max(1.0) {
                fail(format!(
                    "{path} in body should be a multiple of {}",
                    shown(factor)
                ));
            }
        }
    }
}

/// `integer` must fit its format; the error has no field.
fn check_range(schema: &Schema, number: &Number, path: &Path<'_>, causes: &mut Vec<Cause>) {
    let format = schema.format.as_deref().unwrap_or_default();
    let fits = match (schema.kind, format) {
        (Some(Type::Integer), "int32") => {
            whole(number).is_some_and(|value| i32::try_from(value).is_ok())
        }
        (Some(Type::Integer), "uint32") => {
            whole(number).is_some_and(|value| u32::try_from(value).is_ok())
        }
        (Some(Type::Integer), "uint64") => {
            whole(number).is_some_and(|value| u64::try_from(value).is_ok())
        }
        (Some(Type::Integer), _) => whole(number).is_some_and(|value| i64::try_from(value).is_ok()),
        (Some(Type::Number), "float" | "float32") => float(number).abs() <= f64::from(f32::MAX),
        _ => true,
    };
    if !fits {
        let kind = schema.kind.map_or("number", Type::as_str);
        let detail = if format.is_empty() {
            format!("Checked value must be of type {kind} (default format) in {path}")
        } else {
            format!("Checked value must be of type {kind} with format {format} in {path}")
        };
        causes.push(composite(detail));
    }
}

fn whole(number: &Number) -> Option<i128> {
    if let Some(value) = number.as_i64() {
        return Some(value.into());
    }
    if let Some(value) = number.as_u64() {
        return Some(value.into());
    }
    number
        .as_f64()
        .filter(|float| float.fract() == 0.0)
        .map(|float| float as i128)
}

fn truncated(number: &Number) -> i64 {
    number.as_i64().unwrap_or_else(|| float(number) as i64)
}

fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::NAN)
}

/// A float as Go's `%v` writes it, for the magnitudes that schemas have.
fn shown(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e21 {
        format!("{value:.0}")
    } else {
        value.to_string()
    }
}

//! The Table representation.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::render::{Include, partial};
use crate::resource::{Column, Resource};

const NAME_DESCRIPTION: &str = "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/// A table with these rows. The columns are left out of all but the first event of a watch.
pub(crate) fn table(
    resource: &Resource,
    metadata: Value,
    rows: Vec<Value>,
    with_columns: bool,
) -> Value {
    let columns = with_columns.then(|| definitions(resource));
    json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata, "columnDefinitions": columns, "rows": rows,
    })
}

fn definitions(resource: &Resource) -> Vec<Value> {
    let name = json!({
        "name": "Name", "type": "string", "format": "name", "description": NAME_DESCRIPTION, "priority": 0,
    });
    let rest = resource.columns.iter().map(|column| {
        json!({
            "name": column.name, "type": column.kind, "format": column.format,
            "description": column.description, "priority": column.priority,
        })
    });
    if resource.is_custom() {
        std::iter::once(name).chain(rest).collect()
    } else {
        rest.collect()
    }
}

/// The row of an object.
pub(crate) fn row(resource: &Resource, object: &Value, include: Include, now: Timestamp) -> Value {
    let cells = resource.model.cells(object, now).unwrap_or_else(|| {
        let name = object["metadata"]["name"].clone();
        std::iter::once(name)
            .chain(
                resource
                    .columns
                    .iter()
                    .map(|column| cell(column, object, now)),
            )
            .collect()
    });
    let shown = match include {
        Include::None => Value::Null,
        Include::Metadata => partial(object),
        Include::Object => object.clone(),
    };
    json!({ "cells": cells, "object": shown })
}

fn cell(column: &Column, object: &Value, now: Timestamp) -> Value {
    let found = crate::jsonpath::first(object, &column.path);
    match (column.kind.as_str(), found) {
        (_, None | Some(Value::Null)) => Value::Null,
        ("date", Some(Value::String(text))) => match text.parse::<Timestamp>() {
            Ok(time) => age(now.duration_since(time).as_secs()).into(),
            Err(_) => "<invalid>".into(),
        },
        ("integer", Some(value)) => whole(value).map_or(Value::Null, Value::from),
        ("number", Some(value)) => value.as_f64().map_or(Value::Null, Value::from),
        ("boolean", Some(value)) => value.as_bool().map_or(Value::Null, Value::from),
        (_, Some(Value::String(text))) => text.clone().into(),
        (_, Some(other)) => other.to_string().into(),
    }
}

/// A number without its fraction.
fn whole(value: &Value) -> Option<i64> {
    #[allow(clippy::cast_possible_truncation)]
    value
        .as_i64()
        .or_else(|| value.as_f64().map(|number| number as i64))
}

/// A duration as kubectl shows ages.
pub(crate) fn age(seconds: i64) -> String {
    if seconds < -1 {
        return "<invalid>".into();
    }
    let seconds = seconds.max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    let two = |big: i64, unit: &str, small: i64, small_unit: &str| {
        if small == 0 {
            format!("{big}{unit}")
        } else {
            format!("{big}{unit}{small}{small_unit}")
        }
    };
    match seconds {
        0..120 => format!("{seconds}s"),
        120..600 => two(minutes, "m", seconds % 60, "s"),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => two(hours, "h", minutes % 60, "m"),
        28_800..172_800 => format!("{hours}h"),
        172_800..691_200 => two(days, "d", hours % 24, "h"),
        691_200..63_072_000 => format!("{days}d"),
        63_072_000..252_288_000 => two(days / 365, "y", days % 365, "d"),
        _ => format!("{}y", days / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::age;

    #[test]
    fn ages_read_as_kubectl_writes_them() {
        for (seconds, text) in [
            (-5, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (150, "2m30s"),
            (600, "10m"),
            (4 * 3600 + 60, "4h1m"),
            (30 * 3600, "30h"),
            (3 * 86400, "3d"),
            (400 * 86400, "400d"),
        ] {
            assert_eq!(age(seconds), text);
        }
    }
}

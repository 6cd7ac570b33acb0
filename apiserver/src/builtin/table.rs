//! Columns and cells of the table form of built-in kinds.

use serde_json::Value;

use super::dsl::ColumnText;

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// `string`, `integer`, ...
    pub kind: &'static str,
    /// `name` for the name column.
    pub format: &'static str,
    /// 1 for columns that only `-o wide` shows.
    pub priority: i64,
    source: &'static str,
}

impl Column {
    pub(super) fn new(text: &ColumnText) -> Self {
        let format = if text.name == "Name" { "name" } else { "" };
        let priority = i64::from(text.wide);
        Self {
            name: text.name.clone(),
            kind: text.kind,
            format,
            priority,
            source: text.source,
        }
    }
}

/// One cell.
pub(super) fn cell(
    column: &Column,
    object: &Value,
    now: jiff::Timestamp,
    computed: &dyn Fn(&Column) -> Value,
) -> Value {
    match column.source {
        "" => computed(column),
        "age" => age(&object["metadata"]["creationTimestamp"], now),
        path => at(object, path)
            .cloned()
            .unwrap_or_else(|| match column.kind {
                "integer" => Value::from(0),
                _ => Value::from(""),
            }),
    }
}

/// The value at a path such as `.spec.replicas`; a name may have escaped dots.
pub(super) fn at<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.')
        .filter(|name| !name.is_empty())
        .try_fold(object, |value, name| value.get(name))
}

/// How long ago, as kubectl writes it: `5s`, `3m20s`, `5h`, `12d`.
pub(super) fn age(timestamp: &Value, now: jiff::Timestamp) -> Value {
    let Some(then) = timestamp
        .as_str()
        .and_then(|text| text.parse::<jiff::Timestamp>().ok())
    else {
        return Value::from("<unknown>");
    };
    Value::from(human_duration(now.as_second() - then.as_second()))
}

/// `HumanDuration` of `k8s.io/apimachinery/pkg/util/duration`, from seconds.
pub(super) fn human_duration(seconds: i64) -> String {
    let two = |big: i64, unit: &str, small: i64, small_unit: &str| {
        if small == 0 {
            format!("{big}{unit}")
        } else {
            format!("{big}{unit}{small}{small_unit}")
        }
    };
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1..0 => "0s".to_owned(),
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

/// `a=b,c=d` of a label selector, or `<none>`.
pub(super) fn selector_text(selector: &Value) -> Value {
    let text = super::labels::format_selector(selector);
    Value::from(if text.is_empty() {
        "<none>".to_owned()
    } else {
        text
    })
}

/// Names or images of containers, with commas.
pub(super) fn containers(template_spec: &Value, field: &str) -> Value {
    let list = template_spec["containers"].as_array().into_iter().flatten();
    let texts: Vec<&str> = list
        .filter_map(|container| container[field].as_str())
        .collect();
    Value::from(texts.join(","))
}

#[cfg(test)]
mod tests {
    use super::human_duration;

    #[test]
    fn ages_read_as_kubectl_writes_them() {
        for (seconds, text) in [
            (0, "0s"),
            (119, "119s"),
            (150, "2m30s"),
            (600, "10m"),
            (4 * 3600 + 60, "4h1m"),
            (30 * 3600, "30h"),
            (3 * 86400, "3d"),
            (400 * 86400, "400d"),
            (-5, "<invalid>"),
        ] {
            assert_eq!(human_duration(seconds), text);
        }
    }
}

//! Names, label keys and values, in the words of the API machinery.

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const NAME_PART: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// The rule that names of a resource follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// DNS subdomain, 253 characters: most resources.
    #[default]
    Subdomain,
    /// DNS label, 63 characters: namespaces.
    Label,
    /// DNS label that begins with a letter: services.
    Label1035,
    /// Anything that may stand in a path: RBAC objects.
    PathSegment,
}

impl NameRule {
    /// Why the name breaks the rule, as the real server says it.
    pub(crate) fn check(self, name: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        let (limit, good, message) = match self {
            Self::Subdomain => (253, name.split('.').all(is_label), SUBDOMAIN),
            Self::Label => (63, is_label(name), LABEL),
            Self::Label1035 => (
                63,
                is_label(name) && name.starts_with(|c: char| c.is_ascii_lowercase()),
                LABEL_1035,
            ),
            Self::PathSegment => return path_segment(name),
        };
        if name.len() > limit {
            wrong.push(format!("must be no more than {limit} bytes"));
        }
        if !good {
            wrong.push(message.to_owned());
        }
        wrong
    }
}

fn path_segment(name: &str) -> Vec<String> {
    match name {
        "." | ".." => vec![format!("may not be '{name}'")],
        _ => ["/", "%"]
            .into_iter()
            .filter(|c| name.contains(c))
            .map(|c| format!("may not contain '{c}'"))
            .collect(),
    }
}

fn is_label(text: &str) -> bool {
    let edge = |c: Option<u8>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let bytes = text.as_bytes();
    edge(bytes.first().copied())
        && edge(bytes.last().copied())
        && bytes
            .iter()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == b'-')
}

fn is_name_part(text: &str) -> bool {
    let bytes = text.as_bytes();
    let edge = |c: Option<&u8>| c.is_some_and(u8::is_ascii_alphanumeric);
    edge(bytes.first())
        && edge(bytes.last())
        && bytes
            .iter()
            .all(|c| c.is_ascii_alphanumeric() || b"-_.".contains(c))
}

/// Why a label key (or an annotation key in lower case) is not a qualified name.
pub(crate) fn qualified_name(key: &str) -> Option<String> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if name.contains('/') {
        return Some(format!(
            "a qualified name {NAME_PART} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ));
    }
    match prefix {
        Some("") => return Some("prefix part must be non-empty".to_owned()),
        Some(prefix) if !prefix.split('.').all(is_label) => {
            return Some(format!("prefix part {SUBDOMAIN}"));
        }
        _ => {}
    }
    if name.is_empty() {
        return Some("name part must be non-empty".to_owned());
    }
    if name.len() > 63 {
        return Some("name part must be no more than 63 bytes".to_owned());
    }
    (!is_name_part(name)).then(|| NAME_PART.to_owned())
}

/// Why a text is not a label value.
pub(crate) fn label_value(value: &str) -> Option<String> {
    if value.len() > 63 {
        return Some("must be no more than 63 bytes".to_owned());
    }
    (!value.is_empty() && !is_name_part(value)).then(|| LABEL_VALUE.to_owned())
}

//! Label and field selectors: their grammar, the real server's messages, and matching.

use serde_json::Value;

use crate::error::{ApiError, ApiResult};
use crate::object;

/// One requirement on labels.
#[derive(Clone, Debug, PartialEq)]
struct LabelRule {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    In,
    NotIn,
    Exists,
    Absent,
    Greater,
    Less,
}

/// One requirement on a field: path, wanted value, and whether it must differ.
#[derive(Clone, Debug, PartialEq)]
struct FieldRule {
    path: String,
    value: String,
    differs: bool,
}

/// The selection of a list or a watch.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Selector {
    labels: Vec<LabelRule>,
    fields: Vec<FieldRule>,
}

impl Selector {
    pub(crate) fn parse(labels: &str, fields: &str) -> ApiResult<Self> {
        Ok(Self {
            labels: parse_labels(labels)?,
            fields: parse_fields(fields)?,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Paths that the field part names.
    pub(crate) fn field_paths(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|rule| rule.path.as_str())
    }

    /// Lets the field part look elsewhere: where the stored form has another name for a field.
    pub(crate) fn rename_fields(&mut self, rename: impl Fn(&str) -> Option<&str>) {
        for rule in &mut self.fields {
            if let Some(path) = rename(&rule.path) {
                rule.path = path.to_owned();
            }
        }
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        let labels = &object["metadata"]["labels"];
        self.labels
            .iter()
            .all(|rule| rule.matches(labels[&rule.key].as_str()))
            && self
                .fields
                .iter()
                .all(|rule| (field_text(object, &rule.path) == rule.value) != rule.differs)
    }
}

impl LabelRule {
    fn matches(&self, label: Option<&str>) -> bool {
        match self.operator {
            Operator::Exists => label.is_some(),
            Operator::Absent => label.is_none(),
            Operator::In => label.is_some_and(|l| self.values.iter().any(|v| v == l)),
            Operator::NotIn => label.is_none_or(|l| self.values.iter().all(|v| v != l)),
            Operator::Greater | Operator::Less => {
                let number = |text: &str| text.parse::<i64>().ok();
                let (Some(have), Some(limit)) = (
                    label.and_then(number),
                    self.values.first().and_then(|v| number(v)),
                ) else {
                    return false;
                };
                if self.operator == Operator::Greater {
                    have > limit
                } else {
                    have < limit
                }
            }
        }
    }
}

/// The text that a field selector compares; absent fields are empty.
fn field_text(object: &Value, path: &str) -> String {
    match path {
        "metadata.name" => return object::meta(object, "name").to_owned(),
        "metadata.namespace" => return object::meta(object, "namespace").to_owned(),
        _ => {}
    }
    let mut value = object;
    for segment in path.trim_start_matches('.').split('.') {
        value = &value[segment];
    }
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Symbol(&'static str),
    End,
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Self::Word(word) => word,
            Self::Symbol(symbol) => symbol,
            Self::End => "",
        }
    }

    fn is(&self, text: &str) -> bool {
        *self != Self::End && self.text() == text
    }
}

fn tokens(text: &str) -> Vec<Token> {
    const SYMBOLS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];
    let mut rest = text;
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return found;
        }
        if let Some(symbol) = SYMBOLS.into_iter().find(|s| rest.starts_with(s)) {
            found.push(Token::Symbol(symbol));
            rest = &rest[symbol.len()..];
            continue;
        }
        let end = rest
            .find(|c: char| c.is_whitespace() || "=!(),<>".contains(c))
            .unwrap_or(rest.len());
        found.push(Token::Word(rest[..end].to_owned()));
        rest = &rest[end..];
    }
}

struct Parser {
    tokens: std::vec::IntoIter<Token>,
    peeked: Option<Token>,
}

impl Parser {
    fn next(&mut self) -> Token {
        self.peeked
            .take()
            .or_else(|| self.tokens.next())
            .unwrap_or(Token::End)
    }

    fn peek(&mut self) -> &Token {
        if self.peeked.is_none() {
            self.peeked = Some(self.tokens.next().unwrap_or(Token::End));
        }
        self.peeked.as_ref().unwrap_or(&Token::End)
    }
}

fn parse_labels(text: &str) -> ApiResult<Vec<LabelRule>> {
    let mut parser = Parser {
        tokens: tokens(text).into_iter(),
        peeked: None,
    };
    let mut rules = Vec::new();
    if *parser.peek() == Token::End {
        return Ok(rules);
    }
    loop {
        match parser.peek() {
            Token::Word(_) => {}
            token if token.is("!") => {}
            other => {
                return Err(ApiError::bad_request(format!(
                    "found '{}', expected: !, identifier, or 'end of string'",
                    other.text()
                )));
            }
        }
        rules.push(requirement(&mut parser)?);
        match parser.next() {
            Token::End => return Ok(rules),
            token if token.is(",") => match parser.peek() {
                Token::Word(_) => {}
                token if token.is("!") => {}
                other => {
                    return Err(ApiError::bad_request(format!(
                        "found '{}', expected: identifier after ','",
                        other.text()
                    )));
                }
            },
            other => {
                return Err(ApiError::bad_request(format!(
                    "found '{}', expected: ',' or 'end of string'",
                    other.text()
                )));
            }
        }
    }
}

fn refused(detail: impl std::fmt::Display) -> ApiError {
    ApiError::bad_request(format!("unable to parse requirement: {detail}"))
}

fn requirement(parser: &mut Parser) -> ApiResult<LabelRule> {
    let absent = parser.peek().is("!");
    if absent {
        parser.next();
    }
    let Token::Word(key) = parser.next() else {
        return Err(refused("found '', expected: identifier"));
    };
    if let Some(why) = crate::names::qualified_name(&key) {
        return Err(refused(format!(
            "key: Invalid value: {}: {why}",
            Value::from(key)
        )));
    }
    let plain = |operator| {
        Ok(LabelRule {
            key: key.clone(),
            operator,
            values: Vec::new(),
        })
    };
    if absent {
        return plain(Operator::Absent);
    }
    if matches!(parser.peek(), Token::End) || parser.peek().is(",") {
        return plain(Operator::Exists);
    }
    let word = parser.next();
    let (operator, values) = match word.text() {
        "in" => (Operator::In, value_set(parser)?),
        "notin" => (Operator::NotIn, value_set(parser)?),
        "=" | "==" => (Operator::In, vec![exact_value(parser)]),
        "!=" => (Operator::NotIn, vec![exact_value(parser)]),
        ">" => (Operator::Greater, vec![number_value(parser)?]),
        "<" => (Operator::Less, vec![number_value(parser)?]),
        other => {
            return Err(refused(format!(
                "found '{other}', expected: in, notin, =, ==, !=, gt, lt"
            )));
        }
    };
    for (index, value) in values.iter().enumerate() {
        if let Some(why) = crate::names::label_value(value) {
            return Err(refused(format!(
                "values[{index}][{key}]: Invalid value: {}: {why}",
                Value::from(value.as_str())
            )));
        }
    }
    Ok(LabelRule {
        key,
        operator,
        values,
    })
}

fn exact_value(parser: &mut Parser) -> String {
    match parser.peek() {
        Token::Word(_) => parser.next().text().to_owned(),
        _ => String::new(),
    }
}

fn number_value(parser: &mut Parser) -> ApiResult<String> {
    let value = exact_value(parser);
    if value.parse::<i64>().is_err() {
        return Err(refused(format!(
            "values[0]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer",
            Value::from(value)
        )));
    }
    Ok(value)
}

fn value_set(parser: &mut Parser) -> ApiResult<Vec<String>> {
    let open = parser.next();
    if !open.is("(") {
        return Err(refused(format!("found '{}' expected: '('", open.text())));
    }
    let mut values = Vec::new();
    if parser.peek().is(")") {
        parser.next();
        return Ok(vec![String::new()]);
    }
    loop {
        values.push(exact_value(parser));
        let next = parser.next();
        match next.text() {
            ")" => return Ok(values),
            "," => {}
            other => return Err(refused(format!("found '{other}', expected: ',' or ')'"))),
        }
    }
}

fn parse_fields(text: &str) -> ApiResult<Vec<FieldRule>> {
    let mut rules = Vec::new();
    for term in split_terms(text) {
        if term.is_empty() {
            continue;
        }
        let found = ["!=", "==", "="].into_iter().find_map(|operator| {
            // The first operator character decides, so `a=b!=c` is an equality.
            let at = term.find(['=', '!'])?;
            term[at..]
                .starts_with(operator)
                .then(|| (&term[..at], operator, &term[at + operator.len()..]))
        });
        let Some((path, operator, value)) = found else {
            return Err(ApiError::bad_request(format!(
                "invalid selector: '{text}'; can't understand '{term}'"
            )));
        };
        if path.is_empty() && value.is_empty() {
            continue;
        }
        rules.push(FieldRule {
            path: path.to_owned(),
            value: unescape(value),
            differs: operator == "!=",
        });
    }
    Ok(rules)
}

/// Splits at commas that no backslash escapes.
fn split_terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (index, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                terms.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms
}

fn unescape(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut escaped = false;
    for c in text.chars() {
        if !escaped && c == '\\' {
            escaped = true;
        } else {
            escaped = false;
            result.push(c);
        }
    }
    result
}

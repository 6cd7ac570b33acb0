//! The grammar of label selectors, and the messages about what is none.

use serde_json::Value;

use super::{LabelRule, Operator};
use crate::error::{ApiError, ApiResult};

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

pub(super) fn parse(text: &str) -> ApiResult<Vec<LabelRule>> {
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

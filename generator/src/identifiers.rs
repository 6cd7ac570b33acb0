//! Checks every name in a template against the values it will be rendered with.
//!
//! Tera answers an undefined variable in `{= x =}` with an error, but takes `{% if typo %}` as false, and so drops a
//! part of the project without a word. This check closes that: a name that resolves to nothing is an error, wherever it stands.

use serde_json::Value;

/// Words of the template language itself.
const KEYWORDS: &[&str] = &[
    "if",
    "elif",
    "else",
    "endif",
    "for",
    "in",
    "endfor",
    "set",
    "set_global",
    "endset",
    "and",
    "or",
    "not",
    "is",
    "true",
    "false",
    "none",
    "None",
    "True",
    "False",
    "include",
    "break",
    "continue",
    "block",
    "endblock",
    "filter",
    "endfilter",
];

/// One piece of a tag.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A name with its fields: `phase.name`.
    Path(Vec<String>),
    /// One character that is neither.
    Sign(char),
}

/// A name bound by `for` or `set`; `None` where the values cannot be known.
struct Binding<'a> {
    name: String,
    values: Option<Vec<&'a Value>>,
    depth: usize,
}

/// Every name in `text` that `context` does not define, with its line.
pub(crate) fn undefined(text: &str, context: &Value) -> Vec<(usize, String)> {
    let mut checker = Checker {
        context,
        bindings: Vec::new(),
        depth: 0,
        undefined: Vec::new(),
    };
    for (line, tag) in tags(text) {
        checker.tag(line, &tokens(tag));
    }
    checker.undefined
}

/// The insides of `{= =}` and `{% %}`, with the line on which each begins; comments are passed over.
fn tags(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('{').map(|offset| at + offset) {
        let close = match text.as_bytes().get(open + 1) {
            Some(b'=') => "=}",
            Some(b'%') => "%}",
            Some(b'#') => "#}",
            _ => {
                at = open + 1;
                continue;
            }
        };
        let start = open + 2;
        let Some(end) = text[start..].find(close).map(|offset| start + offset) else {
            break;
        };
        if close != "#}" {
            let line = text[..open].matches('\n').count() + 1;
            found.push((line, &text[start..end]));
        }
        at = end + 2;
    }
    found
}

fn tokens(tag: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = tag.chars().peekable();
    while let Some(&c) = chars.peek() {
        if c.is_ascii_alphabetic() || c == '_' {
            let mut path = vec![String::new()];
            while let Some(&c) = chars.peek() {
                if c == '.' {
                    path.push(String::new());
                } else if c.is_ascii_alphanumeric() || c == '_' {
                    if let Some(last) = path.last_mut() {
                        last.push(c);
                    }
                } else {
                    break;
                }
                chars.next();
            }
            tokens.push(Token::Path(path));
            continue;
        }
        chars.next();
        match c {
            '"' | '\'' | '`' => {
                for inside in chars.by_ref() {
                    if inside == c {
                        break;
                    }
                }
            }
            // A number's digits and point are no names.
            c if c.is_whitespace() || c.is_ascii_digit() => {}
            sign => tokens.push(Token::Sign(sign)),
        }
    }
    tokens
}

struct Checker<'a> {
    context: &'a Value,
    bindings: Vec<Binding<'a>>,
    depth: usize,
    undefined: Vec<(usize, String)>,
}

impl<'a> Checker<'a> {
    fn tag(&mut self, line: usize, tokens: &[Token]) {
        let start = usize::from(tokens.first() == Some(&Token::Sign('-')));
        let tokens = &tokens[start..];
        match word(tokens, 0) {
            Some("for") => self.open_loop(line, tokens),
            Some("endfor") => {
                self.bindings.retain(|binding| binding.depth < self.depth);
                self.depth = self.depth.saturating_sub(1);
            }
            Some("set" | "set_global") => {
                self.expression(line, &tokens[2.min(tokens.len())..]);
                if let Some(name) = word(tokens, 1) {
                    self.bind(name, None);
                }
            }
            _ => self.expression(line, tokens),
        }
    }

    fn open_loop(&mut self, line: usize, tokens: &[Token]) {
        let split = (0..tokens.len()).find(|&index| word(tokens, index) == Some("in"));
        let Some(split) = split else {
            return;
        };
        self.expression(line, &tokens[split..]);
        let names: Vec<&str> = (1..split).filter_map(|index| word(tokens, index)).collect();
        // Only a plain path has values that are known here; a filter may change them.
        let values = match &tokens[split + 1..] {
            [Token::Path(path)] | [Token::Path(path), Token::Sign('-')] => {
                self.resolve(path).flatten().map(|lists| {
                    lists
                        .into_iter()
                        .filter_map(Value::as_array)
                        .flatten()
                        .collect::<Vec<_>>()
                })
            }
            _ => None,
        };
        self.depth += 1;
        self.bind("loop", None);
        match names.as_slice() {
            [one] => self.bind(one, values),
            several => several.iter().for_each(|name| self.bind(name, None)),
        }
    }

    fn bind(&mut self, name: &str, values: Option<Vec<&'a Value>>) {
        self.bindings.push(Binding {
            name: name.to_owned(),
            values,
            depth: self.depth,
        });
    }

    fn expression(&mut self, line: usize, tokens: &[Token]) {
        for (index, token) in tokens.iter().enumerate() {
            let Token::Path(path) = token else {
                continue;
            };
            let before = index.checked_sub(1).map(|before| &tokens[before]);
            let is_filter = before == Some(&Token::Sign('|'));
            let is_test = index > 0
                && (word(tokens, index - 1) == Some("is")
                    || (index > 1
                        && word(tokens, index - 1) == Some("not")
                        && word(tokens, index - 2) == Some("is")));
            let next = tokens.get(index + 1);
            let is_call = next == Some(&Token::Sign('('));
            let is_argument =
                next == Some(&Token::Sign('=')) && tokens.get(index + 2) != Some(&Token::Sign('='));
            let is_keyword = path.len() == 1 && KEYWORDS.contains(&path[0].as_str());
            if is_filter || is_test || is_call || is_argument || is_keyword {
                continue;
            }
            if self.resolve(path).is_none() {
                self.undefined.push((line, path.join(".")));
            }
        }
    }

    /// `None`: undefined. `Some(None)`: defined, values unknown. `Some(Some(..))`: every value it can have.
    fn resolve(&self, path: &[String]) -> Option<Option<Vec<&'a Value>>> {
        let (first, fields) = path.split_first()?;
        let bound = self
            .bindings
            .iter()
            .rev()
            .find(|binding| binding.name == *first);
        let mut values = match bound {
            Some(binding) => match &binding.values {
                Some(values) => values.clone(),
                None => return Some(None),
            },
            None => vec![self.context.get(first)?],
        };
        for field in fields {
            // An optional part that is absent says nothing about its fields.
            let known: Vec<&Value> = values
                .into_iter()
                .filter(|value| !value.is_null())
                .collect();
            if known.is_empty() {
                return Some(None);
            }
            values = known
                .into_iter()
                .map(|value| value.get(field))
                .collect::<Option<_>>()?;
        }
        Some(Some(values))
    }
}

fn word(tokens: &[Token], index: usize) -> Option<&str> {
    match tokens.get(index) {
        Some(Token::Path(path)) if path.len() == 1 => Some(&path[0]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(text: &str) -> Vec<String> {
        let context = json!({
            "name": "x",
            "phases": [{"name": "A", "deadline": null}, {"name": "B", "deadline": {"text": "1m"}}],
            "none_yet": [],
        });
        undefined(text, &context)
            .into_iter()
            .map(|(_, name)| name)
            .collect()
    }

    #[test]
    fn a_typo_in_a_condition_is_found() {
        assert_eq!(names("{% if nmae %}x{% endif %}"), ["nmae"]);
        assert_eq!(names("{% if name and not othre %}x{% endif %}"), ["othre"]);
    }

    #[test]
    fn a_typo_in_a_field_of_a_loop_is_found() {
        let text = "{% for p in phases %}{= p.name =}{% if p.stedy %}x{% endif %}{% endfor %}";
        assert_eq!(names(text), ["p.stedy"]);
    }

    #[test]
    fn a_loop_name_ends_with_its_loop() {
        assert_eq!(
            names("{% for p in phases %}{% endfor %}{= p.name =}"),
            ["p.name"]
        );
    }

    #[test]
    fn filters_tests_strings_arguments_and_comments_are_no_names() {
        let text = "{# nope #}{= name | replace(from=\"nope\", to='nope') =}{% if name is defined %}{% endif %}\
                    {% if name is not defined %}{% endif %}{% for p in phases %}{= loop.index =}{% endfor %}";
        assert!(names(text).is_empty());
    }

    #[test]
    fn optional_parts_and_empty_lists_are_defined() {
        let text = "{% for p in phases %}{% if p.deadline %}{= p.deadline.text =}{% endif %}{% endfor %}\
                    {% for n in none_yet %}{= n.anything =}{% endfor %}{% set y = name %}{= y =}";
        assert!(names(text).is_empty());
    }

    #[test]
    fn a_line_is_named() {
        assert_eq!(undefined("\n\n{= y =}", &json!({})), [(3, "y".to_owned())]);
    }

    #[test]
    fn comparison_is_not_an_argument() {
        assert_eq!(names("{% if typo == \"x\" %}{% endif %}"), ["typo"]);
    }
}

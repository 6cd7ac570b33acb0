//! Reasons and messages as the API takes them.

use std::borrow::Cow;

/// Bytes of a reason; the API server counts characters, which are never more.
const REASON_LIMIT: usize = 1024;
/// Bytes of a message.
const MESSAGE_LIMIT: usize = 32_768;

/// Most texts are the program's own.
pub(super) type Text = Cow<'static, str>;

/// `[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?`, at most 1024 bytes: what the API requires of a reason. Words that other
/// characters divide are joined in CamelCase.
pub(super) fn reason(reason: Text) -> Text {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let valid = reason.starts_with(|c: char| c.is_ascii_alphabetic())
        && reason.ends_with(word)
        && reason.chars().all(|c| word(c) || c == ',' || c == ':')
        && reason.len() <= REASON_LIMIT;
    if valid {
        return reason;
    }
    let mut text = String::with_capacity(reason.len());
    for part in reason.split(|c: char| !word(c)) {
        let mut letters = part.chars();
        text.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        text.push_str(letters.as_str());
    }
    let text = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let text = &text[..text.len().min(REASON_LIMIT)];
    if text.is_empty() {
        "Unknown".into()
    } else {
        text.to_owned().into()
    }
}

/// At most 32768 bytes, cut between characters, the cut marked.
pub(super) fn message(text: Text) -> Text {
    if text.len() <= MESSAGE_LIMIT {
        return text;
    }
    let mut end = MESSAGE_LIMIT - '…'.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end]).into()
}

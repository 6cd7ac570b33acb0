//! Text, line by line.

/// What has been written.
#[derive(Default)]
pub(super) struct Out(String);

impl Out {
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.0.push_str(text.as_ref());
        self.0.push('\n');
    }

    pub(super) fn lines(&mut self, lines: &[&str]) {
        for text in lines {
            self.line(text);
        }
    }

    /// A text with its own line ends.
    pub(super) fn block(&mut self, text: &str) {
        self.0.push_str(text);
    }

    /// A doc comment; `fallback` where there is nothing to say.
    pub(super) fn docs(&mut self, lines: &[String], fallback: &str) {
        if lines.is_empty() {
            self.line(format!("/// {fallback}"));
        }
        for text in lines {
            self.line(format!("/// {text}").trim_end());
        }
    }

    pub(super) fn text(self) -> String {
        self.0
    }
}

/// A text as inline code, whatever is in it.
pub(super) fn code(text: &str) -> String {
    let clean: String = text
        .chars()
        .filter(|c| !c.is_control())
        .map(|c| if c == '`' { '\'' } else { c })
        .collect();
    if clean.trim().is_empty() {
        format!("`{clean:?}`")
    } else {
        format!("`{clean}`")
    }
}

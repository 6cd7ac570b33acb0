//! Where things stand in the text of an object, found without decoding it.
//!
//! managedFields are most of a small object's bytes and nobody here reads them: they are cut out before the object is
//! decoded. The text may be no JSON at all: then nothing is found, or something that does not decode, which is told
//! from the text as it came.

use std::ops::Range;

/// Where the values stand that are looked for; absent ones are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spans {
    pub(super) managed_fields: Option<Range<usize>>,
    pub(super) status: Option<Range<usize>>,
}

/// Looks through the members of an object. `None` if the text ends in the middle of it, or is no object.
pub(super) fn find(text: &str) -> Option<Spans> {
    let mut spans = Spans::default();
    let mut json = Scan {
        text: text.as_bytes(),
        at: 0,
    };
    json.members(|json, name| {
        match name {
            b"metadata" if json.peek() == Some(b'{') => json.members(|json, name| {
                let value = json.value()?;
                if name == b"managedFields" {
                    spans.managed_fields = Some(value);
                }
                Some(())
            })?,
            b"status" => spans.status = Some(json.value()?),
            _ => {
                json.value()?;
            }
        }
        Some(())
    })?;
    Some(spans)
}

/// A place in a text.
struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    /// The byte here.
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// The first byte from here on that is no space.
    fn solid(&mut self) -> Option<u8> {
        while let b' ' | b'\n' | b'\t' | b'\r' = self.peek()? {
            self.at += 1;
        }
        self.peek()
    }

    /// Past the byte that has to stand here.
    fn past(&mut self, byte: u8) -> Option<()> {
        (self.solid()? == byte).then(|| self.at += 1)
    }

    /// Past the object that stands here. `member` is told each name, as it is written, and goes past the value.
    fn members(&mut self, mut member: impl FnMut(&mut Self, &'a [u8]) -> Option<()>) -> Option<()> {
        self.past(b'{')?;
        loop {
            match self.solid()? {
                b'}' => {
                    self.at += 1;
                    return Some(());
                }
                b',' => {
                    self.at += 1;
                    self.solid()?;
                }
                _ => {}
            }
            self.past(b'"')?;
            let begin = self.at;
            self.string()?;
            let name = self.text.get(begin..self.at - 1)?;
            self.past(b':')?;
            self.solid()?;
            member(self, name)?;
        }
    }

    /// Past the end of a string whose content begins here.
    fn string(&mut self) -> Option<()> {
        loop {
            let rest = self.text.get(self.at..)?;
            let found = memchr::memchr2(b'"', b'\\', rest)?;
            self.at += found + 1;
            if rest[found] == b'"' {
                return Some(());
            }
            // Whatever is escaped.
            self.at += 1;
        }
    }

    /// Past the value that stands here: its place.
    fn value(&mut self) -> Option<Range<usize>> {
        let (begin, mut depth) = (self.at, 0_usize);
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    self.string()?;
                    if depth == 0 {
                        break;
                    }
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth > 1 => depth -= 1,
                b'}' | b']' => {
                    // Its own end, or that of what it stands in.
                    self.at += depth;
                    break;
                }
                b',' if depth == 0 => break,
                _ => {}
            }
            self.at += 1;
        }
        Some(begin..self.at)
    }
}

//! A terminal as an SVG: our own lines in their own colours, nothing loaded from anywhere.

use std::fmt::Write as _;

use super::Said;

/// Of one character, in pixels, of the monospaced fonts that viewers have.
const CHARACTER: (f32, f32) = (7.83, 19.0);
/// Longer lines are cut, so that the picture stays readable where it is shown small.
const COLUMNS: usize = 104;
/// Around the text, and the height of the title bar.
const EDGE: f32 = 18.0;
const BAR: f32 = 34.0;

const STYLE: &str = "\
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d6dbe5;white-space:pre}\
.v{fill:#5fd38d;font-weight:700}.p{fill:#7aa2f7;font-weight:700}.t{fill:#8b93a5;text-anchor:middle}";

/// The picture.
pub(super) fn svg(command: &str, lines: &[Said], replaced: &[(String, &str)]) -> String {
    let shown = |text: &str| {
        let text = replaced
            .iter()
            .fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        cut(&text)
    };
    let mut rows = vec![format!("<tspan class=\"p\">$ </tspan>{}", escape(command))];
    for said in lines {
        rows.push(match said {
            // The text begins where the terminal has it: after twelve columns of verb and a blank.
            Said::Step(verb, text) => {
                let verb = format!("{verb:>12}");
                let text = shown(&format!("{verb} {text}"));
                let text = text.strip_prefix(&verb).unwrap_or_default();
                format!(
                    "<tspan class=\"v\">{}</tspan>{}",
                    escape(&verb),
                    escape(text)
                )
            }
            Said::Line(text) => escape(&shown(text)),
        });
    }
    let width = CHARACTER.0 * as_pixels(COLUMNS) + 2.0 * EDGE;
    let height = BAR + CHARACTER.1 * as_pixels(rows.len()) + 1.5 * EDGE;
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\">\n<style>{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#171b24\"/>\n\
         <rect width=\"100%\" height=\"{BAR}\" rx=\"10\" fill=\"#232937\"/>\n",
        title = escape(command)
    );
    for (index, colour) in ["#ff6b5e", "#f5bf4f", "#5fc454"].iter().enumerate() {
        let x = EDGE + 4.0 + 20.0 * as_pixels(index);
        let _ = writeln!(
            picture,
            "<circle cx=\"{x}\" cy=\"17\" r=\"6\" fill=\"{colour}\"/>"
        );
    }
    let _ = writeln!(
        picture,
        "<text class=\"t\" x=\"{:.0}\" y=\"21\">{}</text>",
        width / 2.0,
        escape(command)
    );
    for (index, row) in rows.iter().enumerate() {
        let y = BAR + EDGE + 6.0 + CHARACTER.1 * as_pixels(index);
        let _ = writeln!(
            picture,
            "<text x=\"{EDGE}\" y=\"{y:.0}\" xml:space=\"preserve\">{row}</text>"
        );
    }
    picture + "</svg>\n"
}

fn as_pixels(count: usize) -> f32 {
    f32::from(u16::try_from(count).unwrap_or(u16::MAX))
}

fn cut(text: &str) -> String {
    if text.chars().count() <= COLUMNS {
        return text.to_owned();
    }
    let short: String = text.chars().take(COLUMNS - 1).collect();
    format!("{short}…")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_as_in_the_terminal() {
        let lines = [
            Said::Step("Built".to_owned(), "in /home/me/target & done".to_owned()),
            Said::Line("  <1>  get".to_owned()),
            Said::Line("x".repeat(200)),
        ];
        let picture = svg(
            "cargo opgen demo",
            &lines,
            &[("/home/me/target".to_owned(), "target")],
        );
        assert!(
            picture.contains("<tspan class=\"v\">       Built</tspan> in target &amp; done</text>"),
            "{picture}"
        );
        assert!(picture.contains(">  &lt;1&gt;  get</text>"), "{picture}");
        assert!(
            picture.contains(&format!("{}…</text>", "x".repeat(103))),
            "{picture}"
        );
        assert!(!picture.contains("/home"), "{picture}");
        assert_eq!(picture.matches("<text ").count(), 5, "{picture}");
    }
}

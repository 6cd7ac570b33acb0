//! The plot: four panels of bars, as SVG.

use std::fmt::Write;

use super::middle;
use crate::{
    case::{Side, Trouble},
    figure::Figure,
    plan::{PROVIDER_MS, Results},
};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 720.0;
/// The part of a panel that holds bars, from the panel's corner.
const BARS: (f64, f64, f64, f64) = (16.0, 64.0, 408.0, 190.0);
/// Where the panels are.
const CORNERS: [(f64, f64); 4] = [(30.0, 84.0), (490.0, 84.0), (30.0, 392.0), (490.0, 392.0)];

/// One bar: whose, how high, and what is written above it.
struct Bar {
    side: Side,
    value: f64,
    label: String,
}

/// Bars that stand together.
struct Group {
    name: String,
    bars: Vec<Bar>,
}

struct Panel {
    title: &'static str,
    note: String,
    groups: Vec<Group>,
}

/// The whole picture.
pub(super) fn svg(results: &Results) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = picture(&mut out, results);
    out
}

fn colour(side: Side) -> &'static str {
    match side {
        Side::Opgen => "#2f6fde",
        Side::Tuned => "#8a94a6",
        Side::Documented => "#ccd3de",
    }
}

fn plain(side: Side) -> &'static str {
    match side {
        Side::Opgen => "opgen",
        Side::Tuned => "kube Controller, tuned",
        Side::Documented => "kube Controller, as documented",
    }
}

fn picture(out: &mut String, results: &Results) -> std::fmt::Result {
    writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="Inter, 'Segoe UI', Helvetica, Arial, sans-serif">
<rect width="{WIDTH}" height="{HEIGHT}" rx="12" fill="#ffffff"/>
<text x="46" y="40" font-size="20" font-weight="600" fill="#1b2330">The same operator on opgen and on kube-runtime's Controller</text>"##
    )?;
    let mut x = 46.0;
    for side in [Side::Opgen, Side::Tuned, Side::Documented] {
        writeln!(
            out,
            r##"<rect x="{x}" y="54" width="12" height="12" rx="2" fill="{}"/><text x="{}" y="64.5" font-size="12.5" fill="#4a5568">{}</text>"##,
            colour(side),
            x + 18.0,
            plain(side),
        )?;
        x += 34.0 + plain(side).len() as f64 * 6.6;
    }
    for (panel, (x, y)) in panels(results).iter().zip(CORNERS) {
        writeln!(out, r#"<g transform="translate({x} {y})">"#)?;
        draw(out, panel)?;
        writeln!(out, "</g>")?;
    }
    writeln!(
        out,
        r##"<text x="46" y="{}" font-size="11" fill="#718096">{}</text>
</svg>"##,
        HEIGHT - 14.0,
        escaped(&results.facts.sentence()),
    )
}

fn panels(results: &Results) -> [Panel; 4] {
    let by_size = |value: fn(&Figure) -> f64, label: fn(f64) -> String| {
        let group = |objects| Group {
            name: format!("{} objects", thousands(objects as f64)),
            bars: bars(results, objects, PROVIDER_MS, value, label),
        };
        let sizes = results.sizes(PROVIDER_MS, Trouble::None);
        sizes.into_iter().map(group).collect()
    };
    let at_once = results.sizes(0, Trouble::None);
    let at_once = at_once.into_iter().map(|objects| Group {
        name: format!("{} objects, provider at once", thousands(objects as f64)),
        bars: bars(results, objects, 0, Figure::rate, thousands),
    });
    [
        Panel {
            title: "Objects per second",
            note: format!("provider calls of {PROVIDER_MS} ms; more is better"),
            groups: by_size(Figure::rate, thousands),
        },
        Panel {
            title: "CPU of the operator per object",
            note: "microseconds, the API server's not included; less is better".to_owned(),
            groups: by_size(Figure::operator_micros, |micros| format!("{micros:.0}")),
        },
        Panel {
            title: "1 % of provider calls never return",
            note: "share of the other objects that become Ready".to_owned(),
            groups: hung(results),
        },
        Panel {
            title: "Objects per second, memory per object",
            note: "left: more is better; right, bytes beyond the typed object: less is better"
                .to_owned(),
            groups: scaled(at_once.chain(memory(results)).collect()),
        },
    ]
}

fn bars(
    results: &Results,
    objects: usize,
    provider_ms: u64,
    value: fn(&Figure) -> f64,
    label: fn(f64) -> String,
) -> Vec<Bar> {
    let mut bars = Vec::new();
    for side in [Side::Opgen, Side::Tuned, Side::Documented] {
        let figures = results.of(side, objects, provider_ms, Trouble::None);
        if !figures.is_empty() {
            let value = middle(&figures, value);
            let label = label(value);
            bars.push(Bar { side, value, label });
        }
    }
    bars
}

fn hung(results: &Results) -> Vec<Group> {
    let group = |objects| {
        let bar = |side| {
            let figures = results.of(side, objects, PROVIDER_MS, Trouble::Hang);
            let share = middle(&figures, |figure| {
                100.0 * figure.ready as f64 / figure.wanted.max(1) as f64
            });
            let p99 = middle(&figures, |figure| figure.p99_seconds);
            let label = if share < 100.0 {
                format!("stalls at {share:.0} %")
            } else {
                format!("P99 {p99:.1} s")
            };
            Bar {
                side,
                value: share,
                label,
            }
        };
        Group {
            name: format!("{} objects", thousands(objects as f64)),
            bars: [Side::Opgen, Side::Tuned].map(bar).into(),
        }
    };
    let sizes = results.sizes(PROVIDER_MS, Trouble::Hang);
    sizes.into_iter().map(group).collect()
}

fn memory(results: &Results) -> Option<Group> {
    let bars: Vec<_> = results
        .heap
        .iter()
        .map(|heap| Bar {
            side: heap.side,
            value: heap.beyond(),
            label: thousands(heap.beyond()),
        })
        .collect();
    (!bars.is_empty()).then(|| Group {
        name: "bytes per cached object".to_owned(),
        bars,
    })
}

/// Groups of different units: each to its own highest bar.
fn scaled(mut groups: Vec<Group>) -> Vec<Group> {
    for group in &mut groups {
        let most = highest(std::slice::from_ref(group));
        for bar in &mut group.bars {
            bar.value /= most;
        }
    }
    groups
}

fn highest(groups: &[Group]) -> f64 {
    let values = groups
        .iter()
        .flat_map(|group| &group.bars)
        .map(|bar| bar.value);
    values.fold(f64::MIN_POSITIVE, f64::max)
}

fn draw(out: &mut String, panel: &Panel) -> std::fmt::Result {
    let (left, top, width, height) = BARS;
    writeln!(
        out,
        r##"<text x="{left}" y="24" font-size="15" font-weight="600" fill="#1b2330">{}</text>
<text x="{left}" y="42" font-size="11.5" fill="#718096">{}</text>
<line x1="{left}" y1="{base}" x2="{}" y2="{base}" stroke="#cbd5e0"/>"##,
        escaped(panel.title),
        escaped(&panel.note),
        left + width,
        base = top + height,
    )?;
    let most = highest(&panel.groups);
    let room = width / panel.groups.len().max(1) as f64;
    for (number, group) in panel.groups.iter().enumerate() {
        let begin = left + room * number as f64;
        let step = (room * 0.84 / group.bars.len().max(1) as f64).min(84.0);
        let first = begin + (room - step * group.bars.len() as f64) / 2.0;
        for (number, bar) in group.bars.iter().enumerate() {
            let high = (bar.value / most * (height - 18.0)).max(1.0);
            let (x, y) = (first + step * number as f64, top + height - high);
            writeln!(
                out,
                r##"<rect x="{:.1}" y="{y:.1}" width="{:.1}" height="{high:.1}" rx="2" fill="{}"/>
<text x="{:.1}" y="{:.1}" font-size="11" text-anchor="middle" fill="#2d3748">{}</text>"##,
                x + step * 0.07,
                step * 0.86,
                colour(bar.side),
                x + step / 2.0,
                y - 5.0,
                escaped(&bar.label),
            )?;
        }
        writeln!(
            out,
            r##"<text x="{:.1}" y="{:.1}" font-size="11.5" text-anchor="middle" fill="#4a5568">{}</text>"##,
            begin + room / 2.0,
            top + height + 18.0,
            escaped(&group.name),
        )?;
    }
    Ok(())
}

/// A number with commas.
fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

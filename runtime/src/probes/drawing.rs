//! A phase graph as a drawing for `/debug/graph`: one box per phase in the order of the enum, arrows down the middle to
//! the next, arcs on the right further down and on the left back up.

use std::{fmt::Write, time::Duration};

use crate::graph::{PhaseGraph, PhaseInfo};

const BOX: (i32, i32) = (230, 46);
/// From one box to the next.
const STEP: i32 = 86;
const TOP: i32 = 34;
/// How far an arc swings out: for the first box it skips, and for each one more.
const SWING: (i32, i32) = (26, 24);

/// The drawing. Its colours come from the page's style.
pub(crate) fn svg(graph: &PhaseGraph) -> String {
    let arrows = arrows(graph);
    let reach = |left: bool| {
        arrows
            .iter()
            .filter(|arrow| arrow.is_back() == left)
            .map(Arrow::swing)
            .max()
            .unwrap_or(0)
    };
    let (left, right) = (reach(true).max(30) + 16, reach(false).max(30) + 16);
    let width = left + BOX.0 + right;
    let height = TOP + STEP * i32::try_from(graph.phases.len()).unwrap_or(0);
    let mut text = format!(
        "<svg class=graph viewBox=\"0 0 {width} {height}\" width={width} height={height} role=img aria-label=\"{machine}\">\
         <defs><marker id=\"{machine}\" viewBox=\"0 0 8 8\" refX=7 refY=4 markerWidth=7 markerHeight=7 orient=auto>\
         <path d=\"M0 0L8 4L0 8z\" class=head /></marker></defs>",
        machine = graph.machine
    );
    let start = left + BOX.0 / 2;
    let _ = write!(
        text,
        "<circle cx={start} cy=8 r=5 class=head /><path d=\"M{start} 8V{}\" marker-end=\"url(#{})\"/>",
        TOP - 2,
        graph.machine
    );
    for arrow in &arrows {
        arrow.draw(&mut text, left, graph.machine);
    }
    for (index, phase) in graph.phases.iter().enumerate() {
        draw_phase(&mut text, phase, left, row(index));
    }
    text.push_str("</svg>");
    text
}

fn row(index: usize) -> i32 {
    TOP + STEP * i32::try_from(index).unwrap_or(0)
}

/// From one phase to another, by their places.
struct Arrow {
    from: usize,
    to: usize,
    /// Taken by the deadline, not by a handler.
    late: bool,
    /// To the failed phase, which everything leads to: drawn faintly.
    fails: bool,
}

impl Arrow {
    fn is_back(&self) -> bool {
        self.to < self.from
    }

    fn is_next(&self) -> bool {
        self.to == self.from + 1
    }

    fn swing(&self) -> i32 {
        if self.is_next() {
            return 0;
        }
        let skipped = i32::try_from(self.from.abs_diff(self.to)).unwrap_or(1) - 1;
        SWING.0 + SWING.1 * skipped
    }

    fn draw(&self, text: &mut String, left: i32, marker: &str) {
        let class = match (self.late, self.fails) {
            (true, _) => "late",
            (_, true) => "fails",
            _ => "",
        };
        let (from, to) = (row(self.from), row(self.to));
        let path = if self.is_next() {
            let x = left + BOX.0 / 2;
            format!("M{x} {}V{}", from + BOX.1, to - 2)
        } else {
            let (edge, out) = if self.is_back() {
                (left, left - self.swing() * 4 / 3)
            } else {
                (left + BOX.0, left + BOX.0 + self.swing() * 4 / 3)
            };
            // Leaves below the middle and arrives above it, so that two arcs do not meet in one point.
            let (from, to) = (from + BOX.1 * 2 / 3, to + BOX.1 / 3);
            format!("M{edge} {from}C{out} {from} {out} {to} {edge} {to}")
        };
        let _ = write!(
            text,
            "<path d=\"{path}\" class=\"arrow {class}\" marker-end=\"url(#{marker})\"/>"
        );
    }
}

fn arrows(graph: &PhaseGraph) -> Vec<Arrow> {
    let place = |name: &str| graph.phases.iter().position(|phase| phase.name == name);
    let mut arrows = Vec::new();
    for (from, phase) in graph.phases.iter().enumerate() {
        for name in phase.to {
            if let Some(to) = place(name) {
                let late = phase.on_deadline == Some(*name);
                let fails = graph.phases[to].failed;
                arrows.push(Arrow {
                    from,
                    to,
                    late,
                    fails,
                });
            }
        }
        if let Some(to) = phase.on_deadline.and_then(place)
            && !arrows
                .iter()
                .any(|arrow| (arrow.from, arrow.to) == (from, to))
        {
            arrows.push(Arrow {
                from,
                to,
                late: true,
                fails: false,
            });
        }
    }
    arrows
}

fn draw_phase(text: &mut String, phase: &PhaseInfo, left: i32, top: i32) {
    let class = match () {
        () if phase.steady => "steady",
        () if phase.failed => "failed",
        () if phase.finalizer => "finalizer",
        () => "moving",
    };
    let note = note(phase);
    let middle = left + BOX.0 / 2;
    let name_at = if note.is_empty() { top + 28 } else { top + 20 };
    let _ = write!(
        text,
        "<g class=\"phase {class}\"><title>{}</title><rect x={left} y={top} width={} height={} rx=9 />\
         <text x={middle} y={name_at} class=name>{}</text>",
        super::page::escape(phase.doc),
        BOX.0,
        BOX.1,
        phase.name,
    );
    if !note.is_empty() {
        let _ = write!(
            text,
            "<text x={middle} y={} class=note>{note}</text>",
            top + 36
        );
    }
    text.push_str("</g>");
}

/// What else is to be known of a phase, in a few words.
fn note(phase: &PhaseInfo) -> String {
    let mut notes = Vec::new();
    if phase.steady {
        notes.push("steady".to_owned());
    }
    if phase.failed {
        notes.push("permanent errors lead here".to_owned());
    }
    if phase.finalizer {
        notes.push("on deletion, from every phase".to_owned());
    }
    if let (Some(after), Some(to)) = (phase.deadline, phase.on_deadline) {
        notes.push(format!("after {} to {to}", span(after)));
    }
    if let Some(resync) = phase.resync {
        notes.push(format!("looked at every {}", span(resync)));
    }
    notes.join(", ")
}

/// A duration in its biggest whole unit.
fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match () {
        () if time.subsec_millis() > 0 => format!("{} ms", time.as_millis()),
        () if seconds.is_multiple_of(3600) && seconds > 0 => format!("{} h", seconds / 3600),
        () if seconds.is_multiple_of(60) && seconds > 0 => format!("{} min", seconds / 60),
        () => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLANK: PhaseInfo = PhaseInfo {
        name: "",
        doc: "",
        to: &[],
        initial: false,
        steady: false,
        failed: false,
        finalizer: false,
        deadline: None,
        on_deadline: None,
        resync: None,
    };

    #[test]
    fn every_phase_is_a_box_and_every_move_an_arrow() {
        let phases: &'static [PhaseInfo] = Box::leak(Box::new([
            PhaseInfo {
                name: "Pending",
                doc: "a < b",
                to: &["Ready", "Failed"],
                initial: true,
                deadline: Some(Duration::from_secs(1800)),
                on_deadline: Some("Failed"),
                ..BLANK
            },
            PhaseInfo {
                name: "Ready",
                to: &["Pending", "Failed"],
                steady: true,
                resync: Some(Duration::from_secs(600)),
                ..BLANK
            },
            PhaseInfo {
                name: "Failed",
                to: &["Pending"],
                failed: true,
                ..BLANK
            },
        ]));
        let svg = svg(&PhaseGraph {
            machine: "DatabasePhase",
            phases,
        });
        assert_eq!(svg.matches("<rect").count(), 3, "{svg}");
        assert_eq!(svg.matches("class=\"arrow").count(), 5, "{svg}");
        assert_eq!(svg.matches("class=\"arrow late\"").count(), 1, "{svg}");
        assert!(svg.contains("after 30 min to Failed"), "{svg}");
        assert!(svg.contains("steady, looked at every 10 min"), "{svg}");
        assert!(svg.contains("<title>a &lt; b</title>"), "{svg}");
    }
}

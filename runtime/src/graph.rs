//! The phase graph as data, with its pictures.

use std::time::Duration;

/// What the enum says of one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseInfo {
    /// The variant's name.
    pub name: &'static str,
    /// The first paragraph of its doc comment.
    pub doc: &'static str,
    /// Where it may move to, by name; the implicit arrows to the failed phase are in it.
    pub to: &'static [&'static str],
    /// Where new objects start.
    pub initial: bool,
    /// The object is as wanted: Ready.
    pub steady: bool,
    /// Where permanent errors lead: Stalled.
    pub failed: bool,
    /// Entered on deletion.
    pub finalizer: bool,
    /// How long an object may stay before `on_deadline` takes it away.
    pub deadline: Option<Duration>,
    /// Where an expired deadline leads, by name.
    pub on_deadline: Option<&'static str>,
    /// How often a settled object is looked at without an event.
    pub resync: Option<Duration>,
}

/// A whole machine. The pictures are drawn by the macro, as `cargo opgen graph` draws them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseGraph {
    /// The enum's name.
    pub machine: &'static str,
    /// Its phases, in the order of the enum.
    pub phases: &'static [PhaseInfo],
    /// The same as a Mermaid flowchart.
    pub mermaid: &'static str,
    /// The same as an SVG document.
    pub svg: &'static str,
}

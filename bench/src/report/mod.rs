//! What is made of the figures: a page of tables and a plot.

mod plot;
mod table;

use std::{io, path::Path};

use crate::{
    case::{Case, Side, Trouble},
    figure::{Figure, median},
    plan::{IN_FLIGHT, Results},
};

/// Writes `RESULTS.md`, `results.svg` and `results.json` into `folder`.
///
/// # Errors
/// If one of them cannot be written.
pub fn write(results: &Results, folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let json = serde_json::to_string_pretty(results)?;
    std::fs::write(folder.join("results.json"), json + "\n")?;
    std::fs::write(folder.join("RESULTS.md"), table::page(results))?;
    std::fs::write(folder.join("results.svg"), plot::svg(results))
}

impl Results {
    /// The figures of one case, one per round.
    fn of(&self, side: Side, objects: usize, provider_ms: u64, trouble: Trouble) -> Vec<&Figure> {
        self.with(IN_FLIGHT, side, objects, provider_ms, trouble)
    }

    /// The same with another limit of runs at a time.
    fn with(
        &self,
        in_flight: usize,
        side: Side,
        objects: usize,
        provider_ms: u64,
        trouble: Trouble,
    ) -> Vec<&Figure> {
        let is_it = |case: &Case| {
            (case.side, case.objects, case.provider_ms, case.trouble)
                == (side, objects, provider_ms, trouble)
                && case.in_flight == in_flight
        };
        let figures = self.figures.iter();
        figures.filter(|figure| is_it(&figure.case)).collect()
    }

    /// The cases that were run with several limits: numbers of objects and the limits, the usual one among them.
    fn limits(&self) -> Vec<(usize, usize)> {
        let unusual = |case: &Case| case.in_flight != IN_FLIGHT;
        let cases = self.figures.iter().map(|figure| figure.case);
        let unusual: Vec<_> = cases.filter(unusual).collect();
        let usual = unusual.iter().map(|case| (case.objects, IN_FLIGHT));
        let mut all: Vec<_> = unusual
            .iter()
            .map(|case| (case.objects, case.in_flight))
            .chain(usual)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The numbers of objects of a kind of case, without repetition.
    fn sizes(&self, provider_ms: u64, trouble: Trouble) -> Vec<usize> {
        let cases = self.figures.iter().map(|figure| figure.case);
        let of_kind = cases.filter(|case| {
            (case.provider_ms, case.trouble, case.in_flight) == (provider_ms, trouble, IN_FLIGHT)
        });
        let mut sizes: Vec<_> = of_kind.map(|case| case.objects).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }
}

/// Ours to theirs: the median of the rounds' own ratios. What else the machine does meets both sides of a round.
fn ratio(ours: &[&Figure], theirs: &[&Figure], value: impl Fn(&Figure) -> f64) -> f64 {
    let rounds = ours.iter().zip(theirs);
    median(
        rounds
            .map(|(ours, theirs)| value(ours) / value(theirs))
            .collect(),
    )
}

/// The median of what `value` says of each round.
fn middle(figures: &[&Figure], value: impl Fn(&Figure) -> f64) -> f64 {
    median(figures.iter().map(|figure| value(figure)).collect())
}

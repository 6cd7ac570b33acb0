//! The page of tables, in Markdown.

use std::fmt::Write;

use super::{middle, ratio};
use crate::{
    case::{Side, Trouble},
    figure::Figure,
    plan::{IN_FLIGHT, PROVIDER_MS, Results},
};

const SIDES: [Side; 3] = [Side::Opgen, Side::Tuned, Side::Documented];

/// The whole page.
pub(super) fn page(results: &Results) -> String {
    let mut page = String::new();
    // Writing to a string does not fail.
    let _ = all(&mut page, results);
    page
}

fn all(page: &mut String, results: &Results) -> std::fmt::Result {
    writeln!(page, "# Results\n")?;
    writeln!(
        page,
        "Written by `cargo run --release -p opgen-bench -- all` in {:.1} minutes; how and why in [README.md](README.md). \
         {}.\n",
        results.took_seconds / 60.0,
        results.facts.sentence()
    )?;
    writeln!(page, "![plot](results.svg)\n")?;
    goals(page, results)?;
    comparison(page, results)?;
    limits(page, results)?;
    instant(page, results)?;
    troubles(page, results)?;
    rest(page, results)
}

/// One line of the table of goals.
struct Goal {
    what: String,
    figure: f64,
    goal: f64,
    floor: f64,
    more_is_better: bool,
}

impl Goal {
    fn verdict(&self) -> &'static str {
        let reaches = |bar: f64| {
            if self.more_is_better {
                self.figure >= bar
            } else {
                self.figure <= bar
            }
        };
        match (reaches(self.goal), reaches(self.floor)) {
            (true, _) => "goal",
            (false, true) => "floor",
            (false, false) => "**missed**",
        }
    }
}

fn ratios(results: &Results) -> Vec<Goal> {
    let mut goals = Vec::new();
    for objects in results.sizes(PROVIDER_MS, Trouble::None) {
        let of = |side| results.of(side, objects, PROVIDER_MS, Trouble::None);
        let (ours, theirs) = (of(Side::Opgen), of(Side::Tuned));
        goals.push(Goal {
            what: format!("{objects} objects: objects/s, opgen to tuned"),
            figure: ratio(&ours, &theirs, Figure::rate),
            goal: 1.0,
            floor: 0.9,
            more_is_better: true,
        });
        goals.push(Goal {
            what: format!("{objects} objects: CPU per object, opgen to tuned"),
            figure: ratio(&ours, &theirs, Figure::operator_micros),
            goal: 0.8,
            floor: 1.0,
            more_is_better: false,
        });
    }
    for objects in results.sizes(0, Trouble::None) {
        let of = |side| results.of(side, objects, 0, Trouble::None);
        goals.push(Goal {
            what: format!("{objects} objects, provider at once: objects/s, opgen to documented"),
            figure: ratio(&of(Side::Opgen), &of(Side::Documented), Figure::rate),
            goal: 5.0,
            floor: 3.0,
            more_is_better: true,
        });
    }
    goals
}

fn exact(results: &Results) -> Vec<Goal> {
    let mut goals = Vec::new();
    let at_most = |what: String, figure: f64, goal: f64| Goal {
        what,
        figure,
        goal,
        floor: goal,
        more_is_better: false,
    };
    for idle in results.idle.iter().filter(|idle| idle.side == Side::Opgen) {
        let writes = (idle.main_writes + idle.status_writes) as f64 / idle.objects as f64;
        goals.push(at_most(
            "writes per converged object (finalizer and identity, status)".to_owned(),
            writes,
            2.0,
        ));
        goals.push(at_most(
            format!("writes in {} idle hours", idle.hours),
            idle.idle_writes as f64,
            0.0,
        ));
    }
    for heap in results.heap.iter().filter(|heap| heap.side == Side::Opgen) {
        let what = "bytes per cached object beyond the typed object".to_owned();
        goals.push(at_most(what, heap.beyond(), 1500.0));
    }
    for objects in results.sizes(PROVIDER_MS, Trouble::Hang) {
        let hung = results.of(Side::Opgen, objects, PROVIDER_MS, Trouble::Hang);
        let calm = results.of(Side::Opgen, objects, PROVIDER_MS, Trouble::None);
        let missing = middle(&hung, |figure| (figure.wanted - figure.ready) as f64);
        goals.push(at_most(
            format!("{objects} objects, 1 % of calls hang: others that do not converge"),
            missing,
            0.0,
        ));
        if !calm.is_empty() {
            goals.push(at_most(
                format!("{objects} objects, 1 % of calls hang: P99 of the others, to that without"),
                middle(&hung, |figure| figure.p99_seconds)
                    / middle(&calm, |figure| figure.p99_seconds),
                1.5,
            ));
        }
    }
    goals
}

fn goals(page: &mut String, results: &Results) -> std::fmt::Result {
    writeln!(page, "## Against the goals\n")?;
    writeln!(page, "| what | figure | goal | floor | reached |")?;
    writeln!(page, "|---|---:|---:|---:|---|")?;
    for goal in ratios(results).iter().chain(&exact(results)) {
        let digits = if goal.goal > 100.0 { 0 } else { 2 };
        writeln!(
            page,
            "| {} | {:.digits$} | {:.digits$} | {:.digits$} | {} |",
            goal.what,
            goal.figure,
            goal.goal,
            goal.floor,
            goal.verdict()
        )?;
    }
    writeln!(page)
}

const HEAD: &str = "| objects | operator | objects/s | CPU per object: operator | server | writes per object | all requests | P50 to Ready | P99 | peak memory |\n|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|";

fn row(page: &mut String, figures: &[&Figure]) -> std::fmt::Result {
    let Some(first) = figures.first() else {
        return Ok(());
    };
    let ready = |figure: &Figure| figure.ready.max(1) as f64;
    writeln!(
        page,
        "| {} | {} | {:.0} | {:.0} us | {:.0} us | {:.3} | {:.3} | {:.2} s | {:.2} s | {:.0} MB |",
        first.case.objects,
        first.case.side.name(),
        middle(figures, Figure::rate),
        middle(figures, Figure::operator_micros),
        middle(figures, Figure::server_micros),
        middle(figures, Figure::writes),
        middle(figures, |figure| figure.requests.all() as f64
            / ready(figure)),
        middle(figures, |figure| figure.p50_seconds),
        middle(figures, |figure| figure.p99_seconds),
        middle(figures, |figure| figure.peak_bytes as f64) / 1e6,
    )
}

fn comparison(page: &mut String, results: &Results) -> std::fmt::Result {
    writeln!(
        page,
        "## Provider calls of {PROVIDER_MS} ms, {IN_FLIGHT} runs at a time\n\nMedians of the rounds. Peak memory is that \
         of the whole process, the server with its history in it.\n\n{HEAD}"
    )?;
    for objects in results.sizes(PROVIDER_MS, Trouble::None) {
        for side in SIDES {
            row(page, &results.of(side, objects, PROVIDER_MS, Trouble::None))?;
        }
    }
    writeln!(page)
}

fn limits(page: &mut String, results: &Results) -> std::fmt::Result {
    writeln!(
        page,
        "## Other limits\n\nThe `Controller` looks at every run under way whenever one of them goes on. Single runs, but for \
         {IN_FLIGHT}.\n\n| runs at a time | objects | objects/s: opgen | tuned | CPU per object: opgen | tuned | opgen to tuned |\n|---:|---:|---:|---:|---:|---:|---:|"
    )?;
    for (objects, limit) in results.limits() {
        let of = |side| results.with(limit, side, objects, PROVIDER_MS, Trouble::None);
        let (ours, theirs) = (of(Side::Opgen), of(Side::Tuned));
        let cpu = |figures: &[&Figure]| middle(figures, Figure::operator_micros);
        writeln!(
            page,
            "| {limit} | {objects} | {:.0} | {:.0} | {:.0} us | {:.0} us | {:.2} |",
            middle(&ours, Figure::rate),
            middle(&theirs, Figure::rate),
            cpu(&ours),
            cpu(&theirs),
            ratio(&ours, &theirs, Figure::operator_micros),
        )?;
    }
    writeln!(page)
}

fn instant(page: &mut String, results: &Results) -> std::fmt::Result {
    writeln!(
        page,
        "## A provider that answers at once\n\nBy HTTPS, to a server in a process of its own: peak memory is the operator's \
         alone.\n\n{HEAD}"
    )?;
    for objects in results.sizes(0, Trouble::None) {
        for side in SIDES {
            row(page, &results.of(side, objects, 0, Trouble::None))?;
        }
    }
    writeln!(page)
}

fn troubles(page: &mut String, results: &Results) -> std::fmt::Result {
    writeln!(
        page,
        "## With trouble\n\n| trouble | objects | operator | converged | after | P50 to Ready | P99 | writes per object |\n|---|---:|---|---:|---:|---:|---:|---:|"
    )?;
    for (trouble, name) in [
        (Trouble::Hang, "1 % of provider calls never return"),
        (Trouble::Conflict, "5 % of writes answered 409"),
        (Trouble::Cut, "every watch cut after 5 s"),
    ] {
        for objects in results.sizes(PROVIDER_MS, trouble) {
            for side in SIDES {
                for figure in results.of(side, objects, PROVIDER_MS, trouble) {
                    let stalls = if figure.is_complete() {
                        ""
                    } else {
                        ", then nothing"
                    };
                    writeln!(
                        page,
                        "| {name} | {objects} | {} | {} of {}{stalls} | {:.1} s | {:.2} s | {:.2} s | {:.3} |",
                        side.name(),
                        figure.ready,
                        figure.wanted,
                        figure.seconds,
                        figure.p50_seconds,
                        figure.p99_seconds,
                        figure.writes(),
                    )?;
                }
            }
        }
    }
    writeln!(page)
}

fn rest(page: &mut String, results: &Results) -> std::fmt::Result {
    writeln!(
        page,
        "## Memory\n\n| operator | objects | bytes per object | of it the typed object | beyond it |\n|---|---:|---:|---:|---:|"
    )?;
    for heap in &results.heap {
        writeln!(
            page,
            "| {} | {} | {:.0} | {:.0} | {:.0} |",
            heap.side.name(),
            heap.objects,
            heap.operator_bytes,
            heap.typed_bytes,
            heap.beyond(),
        )?;
    }
    writeln!(
        page,
        "\n## Idle, in virtual time\n\n| operator | objects | writes until Ready, per object | idle writes per hour | idle requests per hour |\n|---|---:|---:|---:|---:|"
    )?;
    for idle in &results.idle {
        let hours = f64::from(idle.hours);
        writeln!(
            page,
            "| {} | {} | {:.3} | {:.1} | {:.1} |",
            idle.side.name(),
            idle.objects,
            (idle.main_writes + idle.status_writes) as f64 / idle.objects as f64,
            idle.idle_writes as f64 / hours,
            idle.idle_requests as f64 / hours,
        )?;
    }
    Ok(())
}

//! Which cases make a report, and in which order: the sides take turns, so that whatever else the machine does meets
//! all of them.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    case::{Case, Side, Trouble, Way},
    facts::Facts,
    figure::Figure,
    heap::HeapFigure,
    idle::{self, IdleFigure},
    remote,
};

/// Runs at a time, on every side that has a limit; also the permits of opgen's client.
pub const IN_FLIGHT: usize = 256;
/// How long a provider call takes.
pub const PROVIDER_MS: u64 = 100;

/// How much is run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Numbers of objects.
    pub sizes: Vec<usize>,
    /// How often each case of the comparison is run; the median counts.
    pub rounds: usize,
    /// The size at which the documented `Controller`, the troubles and the memory are looked at.
    pub middle: usize,
    /// The size of the cases that have to last: a watch that is cut, and a `Controller` that runs out of places.
    pub large: usize,
    /// Other limits of runs at a time, looked at once with `middle` objects.
    pub limits: Vec<usize>,
    /// Objects and virtual hours of the idle case.
    pub idle: (usize, u32),
}

impl Plan {
    /// What the report in the repository is made from.
    #[must_use]
    pub fn full() -> Self {
        Self {
            sizes: vec![1_000, 10_000, 50_000],
            rounds: 5,
            middle: 10_000,
            large: 50_000,
            limits: vec![64, 1_024],
            idle: (1_000, 3),
        }
    }

    /// A small one, to see that everything works.
    #[must_use]
    pub fn quick() -> Self {
        Self {
            sizes: vec![500, 2_000],
            rounds: 1,
            middle: 2_000,
            large: 15_000,
            limits: vec![512],
            idle: (100, 1),
        }
    }

    /// Every case, in the order it is run.
    #[must_use]
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        let case = |side, objects, provider_ms, trouble| Case {
            // With a provider that answers at once everything is requests, so their connections belong to it.
            way: if provider_ms == 0 {
                Way::Https
            } else {
                Way::Calls
            },
            side,
            objects,
            provider_ms,
            in_flight: IN_FLIGHT,
            trouble,
        };
        let mut add = |side, objects, provider_ms, trouble| {
            cases.push(case(side, objects, provider_ms, trouble));
        };
        for round in 0..self.rounds {
            // Who begins changes from round to round.
            let mut sides = [Side::Opgen, Side::Tuned];
            sides.rotate_left(round % 2);
            for objects in &self.sizes {
                for side in sides {
                    add(side, *objects, PROVIDER_MS, Trouble::None);
                }
            }
            for side in [sides[0], sides[1], Side::Documented] {
                add(side, self.middle, 0, Trouble::None);
            }
        }
        for objects in self.sizes.iter().filter(|size| **size <= self.middle) {
            add(Side::Documented, *objects, PROVIDER_MS, Trouble::None);
        }
        for (trouble, objects) in [
            (Trouble::Hang, self.middle),
            (Trouble::Hang, self.large),
            (Trouble::Conflict, self.middle),
            (Trouble::Cut, self.large),
        ] {
            for side in [Side::Opgen, Side::Tuned] {
                add(side, objects, PROVIDER_MS, trouble);
            }
        }
        for in_flight in self.limits.iter().copied() {
            for side in [Side::Opgen, Side::Tuned] {
                cases.push(Case {
                    in_flight,
                    ..case(side, self.middle, PROVIDER_MS, Trouble::None)
                });
            }
        }
        cases
    }
}

/// Everything that was measured in one go.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Results {
    /// The machine.
    pub facts: Facts,
    /// How long all of it took, in seconds.
    pub took_seconds: f64,
    /// Every case, as often as it was run.
    pub figures: Vec<Figure>,
    /// Memory.
    pub heap: Vec<HeapFigure>,
    /// Idle hours.
    pub idle: Vec<IdleFigure>,
}

/// Runs a plan. `say` is told what is done next.
///
/// # Errors
/// If a case does not run: its message is in the text.
pub fn run(plan: &Plan, say: impl Fn(&str)) -> Result<Results, String> {
    let (facts, began) = (Facts::read(), Instant::now());
    let program = std::env::current_exe()
        .map_err(|error| format!("this program's path is unknown: {error}"))?;
    built(&program, remote::PROGRAM)?;
    say("memory");
    let counting = built(&program, "opgen-bench-heap")?;
    let mut heap = Vec::new();
    for side in ["opgen", "tuned"] {
        let objects = plan.middle.to_string();
        heap.push(output(Command::new(&counting).args([side, &objects]))?);
    }
    say("idle hours, in virtual time");
    let (objects, hours) = plan.idle;
    let idle = [Side::Opgen, Side::Tuned, Side::Documented]
        .into_iter()
        .map(|side| idle::measure(side, objects, hours))
        .collect::<Result<_, _>>()?;
    let cases = plan.cases();
    let mut figures = Vec::with_capacity(cases.len());
    for (number, case) in cases.iter().enumerate() {
        let text = serde_json::to_string(case).map_err(|error| error.to_string())?;
        let figure: Figure = output(Command::new(&program).arg("case").arg(&text))?;
        say(&format!(
            "{:>3}/{} {:<24} {:>6} objects, {:>3} ms, {:<8} {:>7.0}/s, {:>5.0} us each, {} of {}",
            number + 1,
            cases.len(),
            case.side.name(),
            case.objects,
            case.provider_ms,
            format!("{:?}", case.trouble).to_lowercase(),
            figure.rate(),
            figure.operator_micros(),
            figure.ready,
            figure.wanted,
        ));
        figures.push(figure);
    }
    Ok(Results {
        facts,
        took_seconds: began.elapsed().as_secs_f64(),
        figures,
        heap,
        idle,
    })
}

/// Builds one of the other programs beside this one, as this one was built.
fn built(program: &Path, name: &str) -> Result<PathBuf, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--package", "opgen-bench"]);
    build.args(["--bin", name, "--manifest-path"]);
    build.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    // Two folders up is where this program's own build went.
    if let Some(target) = program.ancestors().nth(2) {
        build.arg("--target-dir").arg(target);
    }
    match build.status() {
        Ok(status) if status.success() => Ok(program.with_file_name(name)),
        Ok(status) => Err(format!("{name} does not build: {status}")),
        Err(error) => Err(format!("cargo does not start: {error}")),
    }
}

/// What a program prints, read as JSON.
fn output<T: DeserializeOwned>(command: &mut Command) -> Result<T, String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?} does not start: {error}"))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{command:?} failed: {words}"));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{command:?} printed no figures: {error}"))
}

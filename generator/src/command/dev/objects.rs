//! The objects and where they stand: a table on a terminal, a line per change elsewhere.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::real;
use super::site::View;
use crate::command::program::{Shown, condition, machine_field};
use crate::shell::Board;

/// How often the in-memory server is looked at, which costs nothing, and a real one, which is asked.
const MEMORY: Duration = Duration::from_millis(100);
const REAL: Duration = Duration::from_secs(2);

/// Rows shown at most: more would push the log off the screen.
const ROWS: usize = 20;

/// How many objects there are, and how many are Ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) objects: usize,
    pub(super) ready: usize,
}

/// What is shown of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    phase: String,
    ready: String,
    why: String,
    since: Option<Timestamp>,
    deleting: bool,
}

/// Kind, namespace and name.
type Key = (String, String, String);

/// The table. The task that keeps it up to date ends with it.
#[derive(Debug)]
pub(super) struct Table {
    shared: Arc<Shared>,
    task: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    board: Board,
    tally: watch::Sender<Tally>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    view: Option<View>,
    shown: Vec<Shown>,
    rows: BTreeMap<Key, Row>,
    revision: u64,
    doing: String,
    trouble: String,
}

impl Drop for Table {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Table {
    pub(super) fn new(board: Board, tally: watch::Sender<Tally>) -> Self {
        let state = Mutex::default();
        Self {
            shared: Arc::new(Shared {
                board,
                tally,
                state,
            }),
            task: None,
        }
    }

    /// What is going on, below the table; empty for nothing.
    pub(super) fn now(&self, text: &str) {
        text.clone_into(&mut self.shared.state().doing);
        self.shared.draw();
    }

    /// Shows these kinds from now on.
    pub(super) fn follow(&mut self, view: View, shown: Vec<Shown>) {
        let every = match view {
            View::Memory(_) => MEMORY,
            View::Real => REAL,
        };
        {
            let mut state = self.shared.state();
            state.view = Some(view);
            state.shown = shown;
            state.revision = 0;
        }
        if self.task.is_none() {
            let shared = Arc::clone(&self.shared);
            self.task = Some(tokio::spawn(async move {
                loop {
                    shared.refresh().await;
                    sleep(every).await;
                }
            }));
        }
    }

    /// Looks once more.
    pub(super) async fn refresh(&self) {
        self.shared.refresh().await;
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn refresh(&self) {
        let (view, shown, seen) = {
            let state = self.state();
            (state.view.clone(), state.shown.clone(), state.revision)
        };
        match view {
            None => {}
            Some(View::Memory(cluster)) => {
                let revision = cluster.revision();
                if revision != seen {
                    let list =
                        |shown: &Shown| cluster.list_raw(&shown.resource, "").unwrap_or_default();
                    let objects = shown.iter().flat_map(list).collect();
                    self.state().revision = revision;
                    self.update(objects);
                }
            }
            Some(View::Real) => match real::list(&shown).await {
                Ok(objects) => {
                    self.state().trouble.clear();
                    self.update(objects);
                }
                // What was seen last stays; a list that failed is not an empty one.
                Err(failure) => {
                    let said = failure.to_string();
                    let news = std::mem::replace(&mut self.state().trouble, said.clone()) != said;
                    if news {
                        self.board.status("Trouble", &said);
                    }
                }
            },
        }
        self.draw();
    }

    fn update(&self, objects: Vec<Value>) {
        let rows: BTreeMap<Key, Row> = objects.iter().map(row).collect();
        let before = std::mem::replace(&mut self.state().rows, rows.clone());
        for (key, row) in &rows {
            let old = before.get(key);
            let same = old.is_some_and(|old| {
                (&old.phase, &old.ready, old.deleting) == (&row.phase, &row.ready, row.deleting)
            });
            if !same {
                self.tell(key, old, Some(row));
            }
        }
        for (key, row) in before.iter().filter(|(key, _)| !rows.contains_key(*key)) {
            self.tell(key, Some(row), None);
        }
        let ready = rows.values().filter(|row| row.ready == "True").count();
        self.tally.send_replace(Tally {
            objects: rows.len(),
            ready,
        });
    }

    fn tell(&self, key: &Key, old: Option<&Row>, new: Option<&Row>) {
        let (kind, namespace, name) = key;
        let what = match (old, new) {
            (_, None) => "gone".to_owned(),
            (Some(old), Some(new)) if old.phase != new.phase => {
                // No arrow: between two looks it may have gone through other phases.
                format!("{}, {}, before: {}", new.phase, new.state(), old.phase)
            }
            (_, Some(new)) => format!("{}, {}", new.phase, new.state()),
        };
        let line = format!("{kind} {}  {what}", place(namespace, name));
        let data = json!({
            "event": "object", "kind": kind, "namespace": namespace, "name": name, "gone": new.is_none(),
            "phase": new.map(|row| &row.phase), "ready": new.map(|row| &row.ready), "deleting": new.is_some_and(|row| row.deleting),
        });
        self.board.change(&line, &data);
    }

    fn draw(&self) {
        if self.board.is_live() {
            let state = self.state();
            self.board.table(&lines(&state, Timestamp::now()));
        }
    }
}

impl Row {
    fn state(&self) -> String {
        let deleting = if self.deleting { ", being deleted" } else { "" };
        format!("Ready={}{deleting}", self.ready)
    }

    fn mark(&self) -> &'static str {
        match (self.ready.as_str(), self.deleting) {
            (_, true) => "✕",
            ("True", _) => "●",
            _ => "○",
        }
    }
}

fn place(namespace: &str, name: &str) -> String {
    if namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}/{name}")
    }
}

fn row(object: &Value) -> (Key, Row) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let meta = &object["metadata"];
    let ready = condition(object, "Ready");
    // The condition that says most: what is stuck, else what is going on.
    let loud = ["Stalled", "Reconciling"]
        .iter()
        .filter_map(|kind| condition(object, kind))
        .find(|condition| condition["status"] == "True");
    let why = loud
        .or(ready)
        .map(|condition| text(&condition["message"]))
        .unwrap_or_default();
    let phase = machine_field(object, "phase")
        .as_str()
        .unwrap_or("(new)")
        .to_owned();
    let since = machine_field(object, "phaseEnteredAt")
        .as_str()
        .or(meta["creationTimestamp"].as_str());
    let row = Row {
        phase,
        ready: ready.map_or_else(
            || "Unknown".to_owned(),
            |condition| text(&condition["status"]),
        ),
        why: why.lines().next().unwrap_or_default().to_owned(),
        since: since.and_then(|time| time.parse().ok()),
        deleting: meta["deletionTimestamp"].is_string(),
    };
    (
        (
            text(&object["kind"]),
            text(&meta["namespace"]),
            text(&meta["name"]),
        ),
        row,
    )
}

/// The table as text, an empty line above it.
fn lines(state: &State, now: Timestamp) -> Vec<String> {
    let mut cells = vec![["", "KIND", "OBJECT", "PHASE", "READY", "FOR", "WHY"].map(str::to_owned)];
    cells.extend(
        state
            .rows
            .iter()
            .take(ROWS)
            .map(|((kind, namespace, name), row)| {
                let age = row
                    .since
                    .map(|since| age(now.duration_since(since).as_secs()))
                    .unwrap_or_default();
                [
                    row.mark().to_owned(),
                    kind.clone(),
                    place(namespace, name),
                    row.phase.clone(),
                    row.ready.clone(),
                    age,
                    row.why.clone(),
                ]
            }),
    );
    let width = |column: usize| {
        cells
            .iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..7).map(width).collect();
    let mut lines = vec![String::new()];
    if state.rows.is_empty() {
        lines.push("  no objects yet".to_owned());
    } else {
        lines.extend(cells.iter().map(|row| {
            let padded = row
                .iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{cell:<width$}"));
            format!("  {}", padded.collect::<Vec<_>>().join("  ").trim_end())
        }));
    }
    if state.rows.len() > ROWS {
        lines.push(format!(
            "  and {} more: kubectl get shows them",
            state.rows.len() - ROWS
        ));
    }
    if !state.doing.is_empty() {
        lines.push(format!("  … {}", state.doing));
    }
    lines
}

/// Seconds as people say them.
fn age(seconds: i64) -> String {
    match seconds.max(0) {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        seconds => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_what_is_stuck() {
        let object = json!({
            "kind": "Database",
            "metadata": {"namespace": "default", "name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "status": {"phase": "Failed", "phaseEnteredAt": "2026-01-01T00:01:00.000001Z", "conditions": [
                {"type": "Ready", "status": "False", "message": "not yet"},
                {"type": "Stalled", "status": "True", "message": "quota exceeded\nat line 2"},
            ]},
        });
        let mut state = State::default();
        let (key, row) = row(&object);
        state.rows.insert(key, row);
        let lines = lines(&state, "2026-01-01T00:02:05Z".parse().expect("a time"));
        assert_eq!(
            lines[2],
            "  ○  Database  default/a  Failed  False  1m04s  quota exceeded"
        );
    }

    /// Fields of the same names that mean something else to the owner of the CRD.
    #[test]
    fn the_fields_of_the_machine_in_an_adopted_crd() {
        let (_, row) = row(&json!({
            "kind": "Gadget",
            "metadata": {"name": "a"},
            "status": {
                "phase": 7, "conditions": {"Ready": "no"},
                "opgenPhase": "Serving", "opgenPhaseEnteredAt": "2026-01-01T00:01:00Z",
                "opgenConditions": [{"type": "Ready", "status": "True", "message": "serving"}],
            },
        }));
        assert_eq!(
            (row.phase.as_str(), row.ready.as_str(), row.why.as_str()),
            ("Serving", "True", "serving")
        );
        assert!(row.since.is_some());
    }

    #[test]
    fn a_new_object_has_no_phase_and_is_not_ready() {
        let (key, row) = row(&json!({"kind": "K", "metadata": {"name": "a"}}));
        assert_eq!(key, ("K".to_owned(), String::new(), "a".to_owned()));
        assert_eq!(
            (row.phase.as_str(), row.ready.as_str()),
            ("(new)", "Unknown")
        );
    }
}

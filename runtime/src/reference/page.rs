//! The reference page, as Markdown.

use std::fmt::Write;

use crate::{
    annotations, children,
    identity::IDENTITY_ANNOTATION,
    metrics::CATALOGUE,
    probes::ENDPOINTS,
    reference::{REASONS, Reason, SPAN_FIELDS},
    status::conditions,
};

/// What stands above the tables.
const HEAD: &str = "# Reference

What an operator written with opgen says and hears, by name. Generated from the tables in `runtime/src`; a test compares
the two, and `UPDATE=1 cargo test -p opgen-tests --test reference` writes this page anew.
";

/// The whole page. It does not depend on any one operator.
#[must_use]
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    metrics(&mut page);
    conditions(&mut page);
    events(&mut page);
    annotations(&mut page);
    endpoints(&mut page);
    #[cfg(feature = "cli")]
    command_line(&mut page);
    environment(&mut page);
    spans(&mut page);
    page
}

fn section(page: &mut String, title: &str, words: &str, columns: &[&str], rows: &[Vec<String>]) {
    line(page, &format!("\n## {title}\n\n{words}\n"));
    line(page, &format!("| {} |", columns.join(" | ")));
    line(page, &format!("|{}", "---|".repeat(columns.len())));
    for row in rows {
        let cells: Vec<_> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        line(page, &format!("| {} |", cells.join(" | ")));
    }
}

fn line(page: &mut String, text: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(page, "{text}");
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn codes(all: &[&str]) -> String {
    let all: Vec<_> = all.iter().map(|one| code(one)).collect();
    all.join(", ")
}

/// The unit that a metric's name ends in, as the conventions of Prometheus have it.
fn unit(name: &str) -> &'static str {
    let name = name.strip_suffix("_total").unwrap_or(name);
    match name.rsplit('_').next() {
        Some("seconds") => "seconds",
        Some("bytes") => "bytes",
        _ => "",
    }
}

fn metrics(page: &mut String) {
    let row = |info: &crate::metrics::MetricInfo| {
        vec![
            code(info.name),
            info.kind.as_str().to_owned(),
            codes(info.labels),
            unit(info.name).to_owned(),
            info.help.to_owned(),
        ]
    };
    let rows: Vec<_> = CATALOGUE.iter().map(row).collect();
    let words = "Served at `/metrics`. `name`, `controller` and `kind` are the kind's name, or `Owner/Child` for an owned or watched kind; no label holds an object's name or free text.";
    let columns = ["metric", "type", "labels", "unit", "what it says"];
    section(page, "Metrics", words, &columns, &rows);
}

fn conditions(page: &mut String) {
    let row = |(kind, says): &(&str, &str)| {
        let reasons: Vec<_> = REASONS
            .iter()
            .filter(|reason| reason.conditions().contains(kind))
            .map(|reason| reason.as_str())
            .collect();
        let phases = [
            conditions::READY,
            conditions::RECONCILING,
            conditions::STALLED,
        ];
        let mut words = codes(&reasons);
        if phases.contains(kind) {
            words.insert_str(
                0,
                if words.is_empty() {
                    "the phase"
                } else {
                    "the phase, "
                },
            );
        }
        vec![code(kind), (*says).to_owned(), words]
    };
    let rows: Vec<_> = conditions::TABLE.iter().map(row).collect();
    let words = "In `.status.conditions` (or where the CRD has them). Only the runtime writes these types; Ready, Reconciling and Stalled always stand there, the others only while they hold. `lastTransitionTime` moves only when the status flips.";
    section(
        page,
        "Conditions",
        words,
        &["type", "while True", "reasons"],
        &rows,
    );

    let on_conditions = |reason: &&Reason| !reason.conditions().is_empty();
    let row = |reason: &Reason| {
        vec![
            code(reason.as_str()),
            codes(reason.conditions()),
            reason.says().to_owned(),
        ]
    };
    let rows: Vec<_> = REASONS.iter().filter(on_conditions).map(row).collect();
    let words = "Beside these, each phase's name is a reason of Ready, Reconciling and Stalled, with the phase's doc comment as its message.";
    section(
        page,
        "Reasons of conditions",
        words,
        &["reason", "on", "what it means"],
        &rows,
    );

    let passes = |reason: &&Reason| reason.conditions().is_empty() && !reason.is_event();
    let row = |reason: &Reason| vec![code(reason.as_str()), reason.says().to_owned()];
    let rows: Vec<_> = REASONS.iter().filter(passes).map(row).collect();
    let words = "What a child's owner waits for without a word in its status, since it passes by itself: `ChildError::reason()`; the words are in `/debug/reconciles`.";
    section(
        page,
        "Reasons of waits",
        words,
        &["reason", "what it means"],
        &rows,
    );
}

fn events(page: &mut String) {
    let row = |reason: &Reason| vec![code(reason.as_str()), reason.says().to_owned()];
    let rows: Vec<_> = REASONS
        .iter()
        .filter(|reason| reason.is_event())
        .map(row)
        .collect();
    let words = "Each is a Warning of `events.k8s.io/v1` on the object, with the action `Reconcile`; repeated ones are folded into a series. What became of them is counted in `opgen_events_total`.";
    section(page, "Events", words, &["reason", "what it means"], &rows);
}

fn annotations(page: &mut String) {
    let row = |(name, values, says): &(&str, &str, &str)| {
        vec![code(name), (*values).to_owned(), (*says).to_owned()]
    };
    let rows: Vec<_> = annotations::TABLE.iter().map(row).collect();
    let words = "On an object of the operator's kinds, set by people.";
    section(
        page,
        "Annotations",
        words,
        &["annotation", "values", "what it does"],
        &rows,
    );

    let rows = [
        (
            IDENTITY_ANNOTATION,
            "annotation of an object",
            "who the object is to the outside: its first uid, a hash of namespace and name, and the attempt; written in one patch with the finalizer",
        ),
        (
            "<group>/cleanup",
            "finalizer of an object",
            "holds the object until what it made outside is proven gone",
        ),
        (
            children::DESIRED_HASH_ANNOTATION,
            "annotation of a child",
            "hash of what was applied",
        ),
        (
            children::YIELDED_ANNOTATION,
            "annotation of a child",
            "the fields that were given away to other writers",
        ),
        (
            children::OWNER_KIND_LABEL,
            "label of a child",
            "the kind of its owner; the watch of owned kinds selects by it",
        ),
    ];
    let rows = rows.map(|(name, place, says)| vec![code(name), place.to_owned(), says.to_owned()]);
    let words = "Written by the runtime, to be left alone.";
    section(
        page,
        "Marks",
        words,
        &["name", "where", "what it is"],
        &rows,
    );
}

fn endpoints(page: &mut String) {
    let rows = ENDPOINTS.map(|(path, says)| vec![code(path), says.to_owned()]);
    let words = "Over HTTP at `--probe-addr`, from a thread that a blocked handler cannot stop. GET and HEAD only.";
    section(
        page,
        "Endpoints",
        words,
        &["path", "what it answers"],
        &rows,
    );
}

#[cfg(feature = "cli")]
fn command_line(page: &mut String) {
    let command = crate::cli::command("operator");
    let text = |words: Option<&clap::builder::StyledStr>| {
        words.map(ToString::to_string).unwrap_or_default()
    };
    let row = |argument: &clap::Arg| {
        let defaults = argument.get_default_values().iter();
        let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
        let env = argument
            .get_env()
            .map(|env| env.to_string_lossy().into_owned());
        vec![
            code(&format!("--{}", argument.get_long().unwrap_or_default())),
            env.as_deref().map(code).unwrap_or_default(),
            defaults
                .first()
                .map(|value| code(value))
                .unwrap_or_default(),
            text(argument.get_help()),
        ]
    };
    let flags = |command: &clap::Command| -> Vec<_> {
        let named = command
            .get_arguments()
            .filter(|one| one.get_long().is_some());
        named.map(row).collect()
    };
    let words = "Of a generated operator. A flag outdoes its environment variable.";
    let columns = ["flag", "environment", "default", "what it does"];
    section(page, "Flags", words, &columns, &flags(&command));

    let row = |command: &clap::Command| vec![code(command.get_name()), text(command.get_about())];
    let rows: Vec<_> = command.get_subcommands().map(row).collect();
    let words = "The first word after the operator's name; without one it runs.";
    section(page, "Commands", words, &["command", "what it does"], &rows);

    let mut rows = Vec::new();
    for command in command.get_subcommands() {
        for mut flag in flags(command) {
            flag[0] = code(&format!(
                "{} {}",
                command.get_name(),
                flag[0].trim_matches('`')
            ));
            rows.push(flag);
        }
    }
    let words = "Beside those above.";
    section(page, "Flags of commands", words, &columns, &rows);
}

fn spans(page: &mut String) {
    let rows = SPAN_FIELDS.map(|(name, says)| vec![code(name), says.to_owned()]);
    let words = "Of the span `reconcile`, one per run of a handler: in the log lines of what happens in it and, with the feature `otlp` and `--otlp-endpoint`, in the traces that are sent to an OpenTelemetry collector. What an author's code says and spans it makes stand in it.";
    section(page, "Traces", words, &["field", "what it is"], &rows);
}

fn environment(page: &mut String) {
    let rows = [
        (
            "HOSTNAME",
            "the lease's holder and the events' reporting instance; the kubelet sets it to the pod's name",
        ),
        (
            "KUBECONFIG",
            "the cluster, where the operator does not run in one",
        ),
        (
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "with the feature `otlp`: where traces alone go, path included",
        ),
        (
            "OTEL_SERVICE_NAME",
            "with the feature `otlp`: the service's name [default: the operator's]; `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_TRACES_SAMPLER` and `OTEL_BSP_*` are heard, too",
        ),
        (
            "OPGEN_SEED",
            "tests: the seed of names, uids and jitter, as a failed test printed it",
        ),
    ];
    let rows = rows.map(|(name, says)| vec![code(name), says.to_owned()]);
    section(
        page,
        "Other environment variables",
        "Read if they are set.",
        &["variable", "what it does"],
        &rows,
    );
}

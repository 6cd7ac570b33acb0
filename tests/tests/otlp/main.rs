//! What a collector gets of an operator with the feature `otlp`, and what becomes of the operator without one. The operator
//! is a process of its own, with the command line and the signals that a cluster has for it: this executable, told so by
//! [`ROLE`].
#![allow(clippy::unwrap_used, clippy::print_stdout, unreachable_pub)]
#![cfg_attr(not(unix), allow(dead_code, unused_imports))]

mod collector;
mod operator;
mod process;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    time::{Duration, Instant},
};

use opgen_runtime::reference::SPAN_FIELDS;

use collector::{Collector, Manners, Sent};
use process::{Process, ROLE};

/// Of every span, by tracing-opentelemetry.
const MEASURES: [&str; 3] = ["busy_ns", "idle_ns", "target"];

type Test = (&'static str, fn());

const TESTS: [Test; 4] = [
    ("a_collector_gets_a_span_of_every_run", every_run),
    ("a_collector_that_hangs_holds_up_nothing", hangs),
    ("a_collector_that_is_not_there_holds_up_nothing", refuses),
    ("without_an_endpoint_nothing_is_sent", no_endpoint),
];

fn main() -> ExitCode {
    if std::env::var_os(ROLE).is_some() {
        return operator::main();
    }
    if !cfg!(unix) {
        return ExitCode::SUCCESS;
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--list") {
        for (name, _) in TESTS {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    let wanted = words.iter().find(|word| !word.starts_with('-'));
    let mut failed = false;
    for (name, test) in TESTS {
        if wanted.is_some_and(|wanted| !name.contains(wanted.as_str())) {
            continue;
        }
        let passed = catch_unwind(AssertUnwindSafe(test)).is_ok();
        failed |= !passed;
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
    }
    ExitCode::from(if failed { 101 } else { 0 })
}

fn every_run() {
    let collector = Collector::new(Manners::Answers);
    let mut process = Process::start(Some(&collector.url()));
    process.becomes_ready("good");
    process.fails_once("flaky");
    process.becomes_ready("flaky");
    let ended = process.terminate();
    assert!(ended.success, "{}", ended.lines);

    let sent = collector.sent();
    assert!(!sent.is_empty(), "{}", ended.lines);
    for request in &sent {
        assert_eq!(request.path, "POST /v1/traces");
        assert_eq!(request.kind, "application/x-protobuf");
        assert_eq!(request.service, operator::NAME);
    }
    let spans: Vec<_> = sent.iter().flat_map(Sent::spans).collect();
    let of = |name: &str, phase: &str| {
        let found = spans
            .iter()
            .filter(|span| span.text("name") == name && span.text("phase") == phase);
        found.cloned().collect::<Vec<_>>()
    };
    let good = of("good", "Pending");
    assert_eq!(good.len(), 1, "{spans:#?}");
    let span = &good[0];
    assert_eq!(span.name, "reconcile");
    assert_eq!(span.text("kind"), "Widget");
    assert_eq!(span.text("namespace"), "default");
    assert_eq!(span.text("attempt"), "1");
    assert_eq!(span.text("trigger"), "first");
    assert!(!span.failed && span.text("error").is_empty());
    assert_eq!(span.events, ["looking at the outside"]);
    // Moved, and looked at in the same run.
    assert_eq!(of("good", "Ready").len(), 1, "{spans:#?}");

    // What the reference says of them, and the measures of the layer.
    for span in &spans {
        for field in span.fields() {
            let is_told = SPAN_FIELDS.iter().any(|(name, _)| *name == field);
            assert!(is_told || MEASURES.contains(&field), "{field}");
        }
    }
    for (field, _) in SPAN_FIELDS {
        assert!(
            spans.iter().any(|span| !span.text(field).is_empty()),
            "{field}"
        );
    }

    let flaky = of("flaky", "Pending");
    assert_eq!(flaky.len(), 2, "{spans:#?}");
    assert!(flaky[0].failed);
    assert_eq!(flaky[0].text("error"), "transient");
    assert_eq!(flaky[1].text("trigger"), "retry");
    assert!(!flaky[1].failed);
}

/// Objects get on beside a collector that does not, and the process ends in time.
#[track_caller]
fn gets_on(endpoint: &str) -> String {
    let mut process = Process::start(Some(endpoint));
    for name in ["one", "two", "three"] {
        process.becomes_ready(name);
    }
    // More than one batch's time.
    std::thread::sleep(Duration::from_millis(600));
    process.becomes_ready("four");
    let from = Instant::now();
    let ended = process.terminate();
    assert!(ended.success, "{}", ended.lines);
    assert!(
        from.elapsed() < Duration::from_secs(8),
        "{:?}",
        from.elapsed()
    );
    ended.lines
}

fn hangs() {
    let collector = Collector::new(Manners::Hangs);
    let lines = gets_on(&collector.url());
    assert!(collector.connections() > 0);
    assert!(
        lines.contains("the last spans may not have reached the collector"),
        "{lines}"
    );
}

fn refuses() {
    let nobody = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let lines = gets_on(&format!("http://{nobody}"));
    // Once, not with every batch; and with why.
    let told = lines.matches("the collector takes no traces").count();
    assert_eq!(told, 1, "{lines}");
    assert!(lines.contains("refused"), "{lines}");
}

fn no_endpoint() {
    let collector = Collector::new(Manners::Answers);
    let mut process = Process::start(None);
    process.becomes_ready("alone");
    let ended = process.terminate();
    assert!(ended.success, "{}", ended.lines);
    assert_eq!(collector.connections(), 0);
    assert!(!ended.lines.contains("traces"), "{}", ended.lines);
}

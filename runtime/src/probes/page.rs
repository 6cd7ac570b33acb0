//! The pages for people: plain HTML, nothing loaded from anywhere.

use std::{collections::BTreeMap, fmt::Write};

use jiff::Timestamp;

use super::{GraphView, ReconcileView};

/// Rows shown at most; the JSON has all.
const ROWS: usize = 1000;

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8884;--soft:#8882}\
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:80rem;padding:0 1rem}\
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}\
nav a{margin-right:1rem}\
table{border-collapse:collapse;width:100%}\
th,td{text-align:left;padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}\
th{font-weight:600}td.n{font-variant-numeric:tabular-nums;white-space:nowrap}\
.s{background:var(--soft);border-radius:.6rem;padding:.1rem .6rem;white-space:nowrap}\
.backingOff,.hot{background:#d3312333}.running{background:#2a8a4a33}.waiting,.gated{background:#c98a0033}\
pre{background:var(--soft);padding:1rem;overflow:auto}svg{max-width:100%;height:auto}";

pub(super) fn index() -> String {
    frame(
        "operator",
        "<ul>\
         <li><a href=\"/debug/reconciles\">/debug/reconciles</a>: what it is doing, the oldest first</li>\
         <li><a href=\"/debug/graph\">/debug/graph</a>: its phase machines</li>\
         <li><a href=\"/metrics\">/metrics</a></li>\
         <li><a href=\"/livez\">/livez</a>, <a href=\"/readyz\">/readyz</a></li>\
         </ul>",
    )
}

/// The objects, which come sorted.
pub(super) fn reconciles(views: &[ReconcileView], now: Timestamp) -> String {
    let mut states = BTreeMap::<_, usize>::new();
    for view in views {
        *states.entry(view.state).or_default() += 1;
    }
    let counts: Vec<String> = states
        .iter()
        .map(|(state, count)| format!("{count} {}", state.as_str()))
        .collect();
    let summary = if counts.is_empty() {
        "nothing runs, waits or backs off".to_owned()
    } else {
        counts.join(", ")
    };
    let mut body = format!("<p>{summary} at {now:.0}</p>");
    if !views.is_empty() {
        body.push_str(
            "<table><thead><tr><th>for</th><th>object</th><th>phase</th><th>state</th><th>next</th><th>why</th>\
             </tr></thead><tbody>",
        );
        for view in views.iter().take(ROWS) {
            row(&mut body, view, now);
        }
        body.push_str("</tbody></table>");
    }
    if views.len() > ROWS {
        let _ = write!(
            body,
            "<p>and {} younger ones: ask for JSON to have them all</p>",
            views.len() - ROWS
        );
    }
    frame("reconciles", &body)
}

fn row(body: &mut String, view: &ReconcileView, now: Timestamp) {
    let namespace = view.namespace.as_deref().map(|it| format!("{it}/"));
    let object = format!(
        "{} {}{}",
        view.kind,
        namespace.unwrap_or_default(),
        view.name
    );
    let next = view.next.map_or_else(String::new, |next| {
        let left = next.duration_since(now).as_secs();
        if left > 0 {
            format!("in {}", age(left))
        } else {
            "now".to_owned()
        }
    });
    let _ = write!(
        body,
        "<tr><td class=n>{}</td><td>{}</td><td>{}</td><td><span class=\"s {}\">{}</span></td><td class=n>{next}</td>\
         <td>{}</td></tr>",
        age(now.duration_since(view.since).as_secs()),
        escape(&object),
        escape(&view.phase),
        class(view.state),
        view.state.as_str(),
        escape(&view.why),
    );
}

fn class(state: super::ReconcileState) -> &'static str {
    use super::ReconcileState as S;
    match state {
        S::Running => "running",
        S::Waiting => "waiting",
        S::Gated => "gated",
        S::BackingOff => "backingOff",
        S::Hot => "hot",
        S::Queued | S::Paused | S::Settled => "",
    }
}

pub(super) fn graphs(graphs: &[GraphView]) -> String {
    let mut body = String::new();
    for graph in graphs {
        let _ = write!(body, "<h2>{}</h2>", escape(&graph.kind));
        match &graph.svg {
            Some(svg) => body.push_str(svg),
            None => {
                let _ = write!(body, "<pre>{}</pre>", escape(&graph.mermaid));
            }
        }
    }
    frame("phase machines", &body)
}

fn frame(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport \
         content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style></head><body><nav><a \
         href=\"/debug/reconciles\">reconciles</a><a href=\"/debug/graph\">graph</a><a \
         href=\"/metrics\">metrics</a></nav><h1>{title}</h1>{body}</body></html>\n"
    )
}

/// Seconds as people say them, two units at most.
fn age(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m {}s", seconds % 60),
        (0, _, _) => format!("{hours}h {minutes}m"),
        _ => format!("{days}d {hours}h"),
    }
}

/// Names and reasons come from objects, so from anybody who may write one.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            char => escaped.push(char),
        }
    }
    escaped
}

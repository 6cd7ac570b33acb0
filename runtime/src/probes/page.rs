//! The pages for people: plain HTML, nothing loaded from anywhere.

use std::{collections::BTreeMap, fmt::Write};

use jiff::Timestamp;

use super::{GraphView, ReconcileView};

/// Rows shown at most; the JSON has all.
const ROWS: usize = 1000;

const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#fbfbfd;--card:#fff;--ink:#1c2330;--soft:#667085;--line:#e3e6ec;\
--good:#1a7f4b;--wait:#a15c07;--bad:#c0312b;--calm:#3b5bdb}\
@media(prefers-color-scheme:dark){:root{--paper:#12151b;--card:#1a1f28;--ink:#e4e7ec;--soft:#98a2b3;--line:#2b313c;\
--good:#4cc38a;--wait:#e5a445;--bad:#ff7b72;--calm:#8da2fb}}\
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0 auto;max-width:76rem;padding:1rem 1.5rem 3rem}\
header{display:flex;gap:1.5rem;align-items:baseline;border-bottom:1px solid var(--line);padding-bottom:.6rem}\
header b{font-size:1.05rem}a{color:var(--calm);text-decoration:none}a:hover{text-decoration:underline}\
h1{font-size:1.4rem;margin:1.4rem 0 .4rem}h2{font-size:1.1rem;margin:2rem 0 .6rem}p{margin:.4rem 0}small,.soft{color:var(--soft)}\
table{border-collapse:separate;border-spacing:0;width:100%;background:var(--card);border:1px solid var(--line);border-radius:10px;\
margin-top:1rem;overflow:hidden}\
th,td{text-align:left;padding:.5rem .9rem;border-bottom:1px solid var(--line);vertical-align:top}\
tr:last-child td{border-bottom:0}th{font-weight:600;font-size:.85rem;color:var(--soft)}\
td.n{font-variant-numeric:tabular-nums;white-space:nowrap}td.o{white-space:nowrap}\
.s{--c:var(--soft);color:var(--c);border:1px solid var(--c);border-radius:1rem;padding:.05rem .6rem;font-size:.85rem;white-space:nowrap}\
.s::before{content:\"\";display:inline-block;width:.5rem;height:.5rem;border-radius:50%;background:var(--c);margin-right:.4rem}\
.running,.settled{--c:var(--good)}.waiting,.gated,.queued{--c:var(--wait)}.backingOff,.hot{--c:var(--bad)}\
.chips{display:flex;gap:.6rem;flex-wrap:wrap;align-items:center}\
.quiet{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1.5rem;margin-top:1rem;color:var(--good)}\
pre{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem;overflow:auto}\
.picture{background:#fff;border:1px solid var(--line);border-radius:10px;padding:.5rem;margin-top:1rem;overflow-x:auto}\
.picture svg{max-width:100%;height:auto;display:block;margin:0 auto}";

/// Seconds after which the page of reconciles is loaded again.
const AGAIN: u32 = 5;

pub(super) fn index() -> String {
    frame(
        "This operator",
        "",
        "<table><tbody>\
         <tr><td><a href=\"/debug/reconciles\">/debug/reconciles</a></td><td>what it is doing, the oldest first</td></tr>\
         <tr><td><a href=\"/debug/graph\">/debug/graph</a></td><td>its phase machines</td></tr>\
         <tr><td><a href=\"/metrics\">/metrics</a></td><td>for Prometheus</td></tr>\
         <tr><td><a href=\"/livez\">/livez</a>, <a href=\"/readyz\">/readyz</a></td><td>for the kubelet</td></tr>\
         </tbody></table>",
    )
}

/// The objects, which come sorted.
pub(super) fn reconciles(views: &[ReconcileView], now: Timestamp) -> String {
    let mut states = BTreeMap::<_, usize>::new();
    for view in views {
        *states.entry(view.state).or_default() += 1;
    }
    let mut body = String::from("<div class=chips>");
    for (state, count) in &states {
        let _ = write!(
            body,
            "<span class=\"s {}\">{count} {}</span>",
            class(*state),
            state.as_str()
        );
    }
    let _ = write!(
        body,
        "<small>at {now:.0}, again every {AGAIN} s</small></div>"
    );
    if views.is_empty() {
        body.push_str(
            "<div class=quiet>Nothing runs, waits or backs off: every object is settled.</div>",
        );
    } else {
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
    let again = format!("<meta http-equiv=refresh content={AGAIN}>");
    frame("What it is doing", &again, &body)
}

fn row(body: &mut String, view: &ReconcileView, now: Timestamp) {
    let namespace = view.namespace.as_deref().map(|it| format!("{it}/"));
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
        "<tr><td class=n>{}</td><td class=o><span class=soft>{} {}</span><b>{}</b></td><td>{}</td><td><span class=\"s {}\">{}</span></td><td class=n>{next}</td>\
         <td>{}</td></tr>",
        age(now.duration_since(view.since).as_secs()),
        escape(&view.kind),
        escape(&namespace.unwrap_or_default()),
        escape(&view.name),
        escape(&view.phase),
        class(view.state),
        view.state.as_str(),
        escape(why(view)),
    );
}

/// In words, where the scheduler knows no more than the state.
fn why(view: &ReconcileView) -> &str {
    use super::ReconcileState as S;
    match view.state {
        _ if !view.why.is_empty() => &view.why,
        S::Running => "its handler runs",
        S::Queued => "waits for its turn",
        S::Waiting => "its handler asked to look again",
        _ => "",
    }
}

fn class(state: super::ReconcileState) -> &'static str {
    use super::ReconcileState as S;
    match state {
        S::Running => "running",
        S::Waiting => "waiting",
        S::Gated => "gated",
        S::BackingOff => "backingOff",
        S::Hot => "hot",
        S::Queued => "queued",
        S::Settled => "settled",
        S::Paused => "",
    }
}

pub(super) fn graphs(graphs: &[GraphView]) -> String {
    let mut body = String::new();
    for graph in graphs {
        let _ = write!(body, "<h2>{}</h2>", escape(&graph.kind));
        match &graph.svg {
            Some(svg) => {
                let _ = write!(body, "<div class=picture>{svg}</div>");
            }
            None => {
                let _ = write!(body, "<pre>{}</pre>", escape(&graph.mermaid));
            }
        }
    }
    frame("Its phases", "", &body)
}

fn frame(title: &str, head: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport \
         content=\"width=device-width\">{head}<title>{title}</title><style>{STYLE}</style></head><body><header><b>operator</b><a \
         href=\"/debug/reconciles\">reconciles</a><a href=\"/debug/graph\">graph</a><a \
         href=\"/metrics\">metrics</a><a href=\"/readyz\">readyz</a></header><h1>{title}</h1>{body}</body></html>\n"
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
pub(super) fn escape(text: &str) -> String {
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

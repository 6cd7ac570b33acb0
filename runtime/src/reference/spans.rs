//! What the span of a handler's run carries: made in `__private.rs`, compared with what a collector receives by a test.

/// Fields of the span `reconcile`, and what they are.
pub const SPAN_FIELDS: [(&str, &str); 7] = [
    ("kind", "the object's kind"),
    ("namespace", "its namespace; empty if it has none"),
    ("name", "its name"),
    ("phase", "the phase whose handler runs"),
    (
        "attempt",
        "the attempt that the handler looks after, counted from 1",
    ),
    (
        "trigger",
        "`first`: the first look of this process; `change`: of the object or of what it depends on; `call`: a job ended, or a trigger was pulled; `retry`: the last run failed; `timer`: a poll, a deadline, the resync",
    ),
    (
        "error",
        "if the handler failed: `transient`, `timeout`, `permanent`, `panic` or `saturated`, which all but the last give the span the status Error",
    ),
];

//! What a case costs.

use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::case::{Case, Side};

/// The figures of one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figure {
    /// Which operator.
    pub side: Side,
    /// How many objects.
    pub objects: usize,
    /// From the start of the operator until every object was Ready.
    pub seconds: f64,
    /// CPU of the whole process, the server included, until half a second after that.
    pub cpu_seconds: f64,
    /// Requests to the API server.
    pub requests: usize,
    /// Peak resident memory of the whole process, the server included.
    pub peak_bytes: u64,
}

/// User and system time of this process, in seconds; 0 where the system does not tell.
pub fn cpu_seconds() -> f64 {
    // Fields 14 and 15 of /proc/self/stat, in ticks of 1/100 s; the command in field 2 may hold spaces.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let rest = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 = rest
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok())
        .sum();
    ticks / 100.0
}

/// Peak resident memory of this process, in bytes; 0 where the system does not tell.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

/// Runs a case in a fresh process: no case inherits the memory or the warm caches of another.
pub fn in_child(case: &Case) -> Result<Figure, String> {
    let side = match case.side {
        Side::Opgen => "opgen",
        Side::Tuned => "tuned",
        Side::Documented => "documented",
    };
    let program = std::env::current_exe()
        .map_err(|error| format!("this program's path is unknown: {error}"))?;
    let output = Command::new(program)
        .args(["--only", side, "--objects", &case.objects.to_string()])
        .args(["--provider-ms", &case.provider_time.as_millis().to_string()])
        .args(["--in-flight", &case.in_flight.to_string()])
        .output()
        .map_err(|error| format!("the case {side} did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "the case {side} failed: {}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("the case {side} printed no figures: {error}"))
}

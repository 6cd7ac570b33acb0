//! What a case costs.

use serde::{Deserialize, Serialize};

use crate::{case::Case, probe::Requests};

/// The figures of one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figure {
    /// Which case.
    pub case: Case,
    /// How many objects can become Ready.
    pub wanted: usize,
    /// How many did.
    pub ready: usize,
    /// From the start of the operator until the last of them.
    pub seconds: f64,
    /// CPU of the operator's threads, until half a second after that.
    pub operator_seconds: f64,
    /// CPU of the server's threads.
    pub server_seconds: f64,
    /// Half of the objects were Ready after this time.
    pub p50_seconds: f64,
    /// 99 of 100 were.
    pub p99_seconds: f64,
    /// Requests that reached the server.
    pub requests: Requests,
    /// Provider calls that returned.
    pub provider_calls: usize,
    /// Peak resident memory of the whole process, the server with its history included.
    pub peak_bytes: u64,
}

impl Figure {
    /// Objects per second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.ready as f64 / self.seconds
    }

    /// CPU of the operator per object, in microseconds.
    #[must_use]
    pub fn operator_micros(&self) -> f64 {
        self.operator_seconds * 1e6 / self.ready.max(1) as f64
    }

    /// CPU of the server per object, in microseconds.
    #[must_use]
    pub fn server_micros(&self) -> f64 {
        self.server_seconds * 1e6 / self.ready.max(1) as f64
    }

    /// Writes per object.
    #[must_use]
    pub fn writes(&self) -> f64 {
        self.requests.writes() as f64 / self.ready.max(1) as f64
    }

    /// Whether every object became Ready that can.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.ready == self.wanted
    }
}

/// The middle of what several rounds gave; of an even number the mean of the two in the middle.
#[must_use]
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[odd / 2],
        even => f64::midpoint(values[even / 2 - 1], values[even / 2]),
    }
}

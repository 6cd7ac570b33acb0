//! CPU time by thread, so that the operator's is told apart from the server's.

use std::time::Duration;

/// How the server's threads are called.
pub const SERVER: &str = "bench-server";
/// How the thread is called that only waits for the end of a case.
pub const HARNESS: &str = "opgen-bench";

/// What the threads of this process have spent so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// The operator's: every thread that is not named below, so also those that its libraries start.
    pub operator: Duration,
    /// The threads named [`SERVER`].
    pub server: Duration,
}

impl Spent {
    /// Reads the scheduler's accounts, in nanoseconds. A thread that has ended is in none of them: nothing here ends
    /// threads during a case.
    #[must_use]
    pub fn now() -> Self {
        let mut spent = Self::default();
        let tasks = std::fs::read_dir("/proc/self/task")
            .into_iter()
            .flatten()
            .flatten();
        for task in tasks {
            let read = |file: &str| std::fs::read_to_string(task.path().join(file));
            let (Ok(name), Ok(schedule)) = (read("comm"), read("schedstat")) else {
                continue;
            };
            // The first field is the time on a CPU.
            let first = schedule.split_whitespace().next();
            let time = Duration::from_nanos(first.and_then(|text| text.parse().ok()).unwrap_or(0));
            match name.trim() {
                SERVER => spent.server += time,
                HARNESS => {}
                _ => spent.operator += time,
            }
        }
        spent
    }

    /// What was spent since `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            operator: self.operator.saturating_sub(earlier.operator),
            server: self.server.saturating_sub(earlier.server),
        }
    }
}

/// Peak resident memory of this process, in bytes; 0 where the system does not tell.
#[must_use]
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

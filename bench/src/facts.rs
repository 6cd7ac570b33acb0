//! The machine that the figures come from.

use std::{fs, process::Command};

use serde::{Deserialize, Serialize};

/// What has to be known about a machine to judge a figure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Facts {
    /// The processor's name.
    pub processor: String,
    /// How many of them this program may use.
    pub cores: usize,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Name and version of the kernel.
    pub kernel: String,
    /// The compiler.
    pub rustc: String,
    /// Processes that wanted to run, on average over the minute before the start. More than a few tenths: others were
    /// at work.
    pub load_before: f64,
    /// Seconds since 1970 at the start.
    pub unix_time: u64,
}

impl Facts {
    /// Reads them; what the system does not tell is empty or 0.
    #[must_use]
    pub fn read() -> Self {
        let after = |file: &str, name: &str| {
            let text = fs::read_to_string(file).unwrap_or_default();
            let line = text.lines().find(|line| line.starts_with(name));
            let value = line.and_then(|line| line.split_once(':'));
            value.map(|(_, value)| value.trim().to_owned())
        };
        let said = |program: &str, argument: &str| {
            let output = Command::new(program).arg(argument).output();
            let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
            text.unwrap_or_default().trim().to_owned()
        };
        let memory = after("/proc/meminfo", "MemTotal").unwrap_or_default();
        let kilobytes = memory.split_whitespace().next().map(str::parse::<u64>);
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load = load.split_whitespace().next().map(str::parse::<f64>);
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Self {
            processor: after("/proc/cpuinfo", "model name").unwrap_or_default(),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory_bytes: kilobytes.and_then(Result::ok).unwrap_or_default() * 1024,
            kernel: said("uname", "-sr"),
            rustc: said("rustc", "--version"),
            load_before: load.and_then(Result::ok).unwrap_or_default(),
            unix_time: now.map_or(0, |time| time.as_secs()),
        }
    }

    /// In one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!(
            "{}, {} cores, {:.0} GB, {}, {}; load {:.1} before the start",
            self.processor,
            self.cores,
            self.memory_bytes as f64 / 1e9,
            self.kernel,
            self.rustc,
            self.load_before,
        )
    }
}

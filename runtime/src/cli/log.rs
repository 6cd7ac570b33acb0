//! Where log lines and spans go.

use clap::{Arg, ArgMatches};
use tokio::runtime::Handle;
use tracing_subscriber::{EnvFilter, Layer as _, layer::SubscriberExt, util::SubscriberInitExt};

use crate::error::{Error, Result};

/// What has to be ended before the process does.
pub(super) struct Log {
    #[cfg(feature = "otlp")]
    traces: Option<crate::otlp::Traces>,
}

impl Log {
    /// Sends what is left to send, for a moment.
    pub(super) fn end(self) {
        #[cfg(feature = "otlp")]
        if let Some(traces) = self.traces {
            traces.end(crate::otlp::FLUSH);
        }
    }
}

/// The flag that only an operator with the feature `otlp` has.
pub(super) fn otlp_flag() -> Option<Arg> {
    #[cfg(feature = "otlp")]
    return Some(
        Arg::new("otlp-endpoint")
            .long("otlp-endpoint")
            .env(crate::otlp::ENDPOINT)
            .help("An OpenTelemetry collector that traces are sent to by OTLP over HTTP, such as http://collector:4318; an operator with the feature `otlp` [default: none]")
            .global(true),
    );
    #[cfg(not(feature = "otlp"))]
    None
}

/// Sets up what the flags say, for the whole process. `_name` and `_runtime`: who sends traces, and on what.
pub(super) fn begin(_name: &str, matches: &ArgMatches, _runtime: &Handle) -> Result<Log> {
    let level = matches
        .get_one::<String>("log-level")
        .map_or("info", String::as_str);
    let filter = EnvFilter::try_new(level)
        .map_err(|error| Error::msg(format!("--log-level {level:?} is not a filter: {error}")))?;
    let json = matches
        .get_one::<String>("log-format")
        .is_some_and(|format| format == "json");
    // A line that cannot be written is no reason to end: who read the log is gone, the work goes on.
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .log_internal_errors(false);
    let lines = if json {
        lines.json().boxed()
    } else {
        lines.boxed()
    };
    #[cfg(feature = "otlp")]
    if let Some(traces) = traces(_name, matches, _runtime)? {
        // A log level is for lines: spans are sent whatever it is.
        tracing_subscriber::registry()
            .with(lines.with_filter(filter))
            .with(traces.layer())
            .init();
        return Ok(Log {
            traces: Some(traces),
        });
    }
    tracing_subscriber::registry()
        .with(lines)
        .with(filter)
        .init();
    Ok(Log {
        #[cfg(feature = "otlp")]
        traces: None,
    })
}

#[cfg(feature = "otlp")]
fn traces(
    name: &str,
    matches: &ArgMatches,
    runtime: &Handle,
) -> Result<Option<crate::otlp::Traces>> {
    use crate::otlp::Traces;
    use clap::parser::ValueSource;

    let flag = matches.get_one::<String>("otlp-endpoint");
    let is_said = matches.value_source("otlp-endpoint") == Some(ValueSource::CommandLine);
    match flag.filter(|endpoint| !endpoint.is_empty()) {
        Some(endpoint) if is_said => Traces::to(endpoint, name, runtime).map(Some),
        _ => Traces::from_env(name, runtime),
    }
}

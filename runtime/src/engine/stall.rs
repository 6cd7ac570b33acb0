//! Notices code that blocks, in real time: the one thing that virtual and async time cannot see.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use crate::metrics::Metrics;
use crate::mutant::{Mutant, mutated};

/// A poll of a handler that takes longer blocks a thread of the executor.
const POLL: Duration = Duration::from_millis(500);
/// How often the executor says that it turns.
const TICK: Duration = Duration::from_millis(250);
/// It has stalled if it did not for so long.
const STALL: Duration = Duration::from_secs(2);

/// A future whose polls are timed.
pub(crate) struct Timed<T> {
    inner: Pin<Box<dyn Future<Output = T> + Send>>,
    blocked: Box<dyn FnMut(Duration) + Send>,
}

impl<T> Timed<T> {
    /// Calls `blocked` with the length of every poll that took too long.
    pub(crate) fn new(
        inner: impl Future<Output = T> + Send + 'static,
        blocked: impl FnMut(Duration) + Send + 'static,
    ) -> Self {
        Self {
            inner: Box::pin(inner),
            blocked: Box::new(blocked),
        }
    }
}

impl<T> Future for Timed<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let began = Instant::now();
        let polled = self.inner.as_mut().poll(context);
        let took = began.elapsed();
        if took >= POLL && !mutated(Mutant::Watchdog) {
            (self.blocked)(took);
        }
        polled
    }
}

/// Watches the executor it was started on. Dropped, it ends.
pub(crate) struct Watchdog {
    tick: tokio::task::JoinHandle<()>,
    /// Dropped, it tells the thread to end.
    _end: mpsc::Sender<()>,
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.tick.abort();
    }
}

/// Starts a thread that notices when the present executor does not turn.
///
/// # Errors
/// If there is no thread to be had.
pub(crate) fn watch(operator: String, metrics: Metrics) -> std::io::Result<Watchdog> {
    let (turns, started) = (Arc::new(AtomicU64::new(0)), Instant::now());
    let seen = Arc::clone(&turns);
    let (end, ended) = mpsc::channel();
    let executor = tokio::runtime::Handle::current();
    std::thread::Builder::new()
        .name("watchdog".to_owned())
        .spawn(move || {
            let (mut last, mut since, mut told) = (0, started, false);
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let now = seen.load(Ordering::Relaxed);
                if now != last {
                    if told {
                        tracing::warn!(operator, stalled_for = ?since.elapsed(), "the executor turns again");
                    }
                    (last, since, told) = (now, Instant::now(), false);
                    continue;
                }
                // The thread that waits for timers and sockets may be the one that is blocked, while the others sleep:
                // something to do wakes one of them, and that one takes over.
                executor.spawn(async {});
                if !told && since.elapsed() >= STALL {
                    told = true;
                    metrics.executor_stalled(&operator);
                    tracing::error!(operator, "the executor has not turned for {STALL:?}: a handler blocks its thread (a blocking wait, blocking IO, a long computation); put that into cx.blocking");
                }
            }
        })?;
    let tick = tokio::spawn(async move {
        loop {
            turns.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(TICK).await;
        }
    });
    Ok(Watchdog { tick, _end: end })
}

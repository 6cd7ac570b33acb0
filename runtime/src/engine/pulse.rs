//! Whether a watch still hears anything, and the question to ask when it does not.
//!
//! A server that was restored from a backup is at an older version than the watch that comes back to it, and says nothing
//! until it has passed that version: no event, no bookmark, no error. What happened on the way there is never told. Only
//! silence and a comparison of the two versions show it.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use http::Request;
use http_body_util::BodyExt;
use kube::{Api, Client, api::ListParams, client::Body};
use serde::de::DeserializeOwned;
use tokio::{sync::Notify, time::Instant};
use tower::service_fn;

/// A bookmark comes each minute.
const SILENCE: Duration = Duration::from_secs(150);
/// Asked in vain, it is asked ever more rarely: not every server has a bookmark for every kind.
const LONGEST: Duration = Duration::from_secs(1200);
/// A watch lasts longer than this unless it is cut.
const SHORT: Duration = Duration::from_secs(120);

/// The last sign of life of one watch.
#[derive(Clone, Default)]
pub(super) struct Pulse(Arc<Heart>);

#[derive(Default)]
struct Heart {
    signs: Mutex<Signs>,
    /// A watch was opened.
    news: Notify,
}

struct Signs {
    /// The version that the open watch began at.
    version: Option<u64>,
    opened_at: Option<Instant>,
    /// When it has been silent for too long.
    ask_at: Instant,
    patience: Duration,
}

impl Default for Signs {
    fn default() -> Self {
        Self {
            version: None,
            opened_at: None,
            ask_at: Instant::now(),
            patience: SILENCE,
        }
    }
}

impl Pulse {
    fn signs(&self) -> MutexGuard<'_, Signs> {
        // Nothing panics while it holds the lock.
        self.0.signs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A client whose watches are listened to.
    pub(super) fn listen(&self, client: &Client) -> Client {
        let (inner, pulse) = (client.clone(), self.clone());
        let service = service_fn(move |request: Request<Body>| {
            let (inner, pulse) = (inner.clone(), pulse.clone());
            async move {
                let version = watched_from(request.uri().query().unwrap_or_default());
                let response = inner.send(request).await?;
                let version = version.filter(|_| response.status().is_success());
                let heard = version.map(|version| {
                    pulse.opened(version);
                    pulse
                });
                Ok::<_, kube::Error>(response.map(|body| {
                    body.map_frame(move |frame| {
                        if let Some(pulse) = &heard {
                            pulse.heard();
                        }
                        frame
                    })
                }))
            }
        });
        Client::new(service, client.default_namespace())
    }

    fn opened(&self, version: u64) {
        let (mut signs, now) = (self.signs(), Instant::now());
        // Who was cut off may come back to another server than the one it left.
        let was_cut = signs.opened_at.is_some_and(|at| now - at < SHORT);
        signs.opened_at = Some(now);
        signs.version = Some(version);
        signs.ask_at = if was_cut { now } else { now + signs.patience };
        self.0.news.notify_one();
    }

    fn heard(&self) {
        let mut signs = self.signs();
        signs.patience = SILENCE;
        signs.ask_at = Instant::now() + SILENCE;
    }

    /// Everything begins anew, with a list.
    pub(super) fn reset(&self) {
        *self.signs() = Signs::default();
    }

    /// Returns the version that the watch began at, when it has been silent for too long.
    pub(super) async fn falls_silent(&self) -> u64 {
        loop {
            let (version, ask_at) = {
                let signs = self.signs();
                (signs.version, signs.ask_at)
            };
            let Some(version) = version else {
                self.0.news.notified().await;
                continue;
            };
            let now = Instant::now();
            if ask_at <= now {
                let mut signs = self.signs();
                signs.ask_at = now + signs.patience;
                signs.patience = (signs.patience * 2).min(LONGEST);
                return version;
            }
            tokio::select! {
                () = tokio::time::sleep_until(ask_at) => {}
                () = self.0.news.notified() => {}
            }
        }
    }
}

/// The version that a watch begins at, if the query is a watch's and names one.
fn watched_from(query: &str) -> Option<u64> {
    let value = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find_map(|(key, value)| (key == name).then_some(value))
    };
    value("watch").filter(|watch| matches!(*watch, "true" | "1"))?;
    value("resourceVersion")?
        .parse()
        .ok()
        .filter(|version| *version > 0)
}

/// The version that the server is at now, as far as it says; costs it no more than one object's metadata.
pub(super) async fn server_version<K>(api: &Api<K>) -> Option<u64>
where
    K: Clone + DeserializeOwned + std::fmt::Debug,
{
    // Without a version the answer is the latest, not a cache's.
    let list = api
        .list_metadata(&ListParams::default().limit(1))
        .await
        .ok()?;
    list.metadata.resource_version?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_says_where_it_begins() {
        assert_eq!(watched_from("watch=true&resourceVersion=12"), Some(12));
        assert_eq!(watched_from("resourceVersion=12&limit=500"), None);
        assert_eq!(watched_from("watch=true&resourceVersion=0"), None);
        assert_eq!(watched_from("&watch=1&a=&resourceVersion=7"), Some(7));
        assert_eq!(watched_from(""), None);
    }

    async fn asks_within(pulse: &Pulse, time: Duration) -> Option<u64> {
        tokio::time::timeout(time, pulse.falls_silent()).await.ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_watch_is_asked_about_ever_more_rarely() {
        let pulse = Pulse::default();
        assert_eq!(asks_within(&pulse, LONGEST).await, None);
        pulse.opened(7);
        let mut from = Instant::now();
        for seconds in [150, 150, 300, 600, 1200, 1200] {
            assert_eq!(pulse.falls_silent().await, 7);
            assert_eq!(from.elapsed().as_secs(), seconds);
            from = Instant::now();
        }
        pulse.heard();
        assert_eq!(asks_within(&pulse, SILENCE * 2).await, Some(7));
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_was_cut_is_asked_about_at_once() {
        let pulse = Pulse::default();
        pulse.opened(7);
        tokio::time::sleep(SHORT * 2).await;
        pulse.opened(8);
        assert_eq!(asks_within(&pulse, Duration::from_secs(1)).await, None);
        tokio::time::sleep(SHORT / 2).await;
        pulse.opened(9);
        assert_eq!(asks_within(&pulse, Duration::from_secs(1)).await, Some(9));
        pulse.reset();
        assert_eq!(asks_within(&pulse, LONGEST).await, None);
    }
}

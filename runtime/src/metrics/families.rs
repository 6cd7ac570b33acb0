//! The metrics as values: made from the catalogue, so a name, a help text or a label stands in one place only.

use std::{borrow::Cow, sync::atomic::AtomicU64};

use prometheus_client::{
    metrics::{counter, family, gauge, histogram},
    registry::Registry,
};

use super::catalogue::Def;

/// The value of a label.
pub(super) type Value = Cow<'static, str>;
type Labels<const N: usize> = [(&'static str, Value); N];

fn zip<const N: usize>(keys: [&'static str; N], values: [Value; N]) -> Labels<N> {
    let mut values = values.into_iter();
    keys.map(|key| (key, values.next().unwrap_or_default()))
}

pub(super) struct Counter<const N: usize> {
    keys: [&'static str; N],
    family: family::Family<Labels<N>, counter::Counter>,
}

impl<const N: usize> Counter<N> {
    pub(super) fn new(def: &Def<N>, registry: &mut Registry) -> Self {
        let family = family::Family::default();
        // The library adds the suffix by itself, and panics if it is there already.
        let name = def.name.strip_suffix("_total").unwrap_or(def.name);
        registry.register(name, def.help, family.clone());
        Self {
            keys: def.labels,
            family,
        }
    }

    pub(super) fn inc(&self, values: [Value; N]) {
        self.family.get_or_create(&zip(self.keys, values)).inc();
    }
}

pub(super) struct Gauge<const N: usize> {
    keys: [&'static str; N],
    family: family::Family<Labels<N>, gauge::Gauge<f64, AtomicU64>>,
}

impl<const N: usize> Gauge<N> {
    pub(super) fn new(def: &Def<N>, registry: &mut Registry) -> Self {
        let family = family::Family::default();
        registry.register(def.name, def.help, family.clone());
        Self {
            keys: def.labels,
            family,
        }
    }

    pub(super) fn set(&self, values: [Value; N], value: f64) {
        self.family
            .get_or_create(&zip(self.keys, values))
            .set(value);
    }
}

#[derive(Clone)]
struct Buckets(&'static [f64]);

impl family::MetricConstructor<histogram::Histogram> for Buckets {
    fn new_metric(&self) -> histogram::Histogram {
        histogram::Histogram::new(self.0.iter().copied())
    }
}

pub(super) struct Histogram<const N: usize> {
    keys: [&'static str; N],
    family: family::Family<Labels<N>, histogram::Histogram, Buckets>,
}

impl<const N: usize> Histogram<N> {
    pub(super) fn new(def: &Def<N>, registry: &mut Registry) -> Self {
        let family = family::Family::new_with_constructor(Buckets(def.buckets));
        registry.register(def.name, def.help, family.clone());
        Self {
            keys: def.labels,
            family,
        }
    }

    pub(super) fn observe(&self, values: [Value; N], value: f64) {
        self.family
            .get_or_create(&zip(self.keys, values))
            .observe(value);
    }
}

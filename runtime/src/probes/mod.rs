//! Probes, metrics and what the operator is doing, over HTTP.

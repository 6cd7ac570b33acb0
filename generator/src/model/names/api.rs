//! Names that stand in URLs: those of a resource.

use super::{ApiGroup, ApiVersion, Plural, SUBDOMAIN, ShortName, dns_label, dns_name};
use crate::error::Problem;
use crate::model::reserved;

impl ApiGroup {
    /// Checks a group for a new API: a DNS name with a dot, and not one of Kubernetes' own.
    ///
    /// # Errors
    /// What is wrong with the group.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let group = Self::parse_existing(text)?;
        let protected = ["k8s.io", "kubernetes.io"]
            .iter()
            .find(|suffix| text == **suffix || text.ends_with(&format!(".{suffix}")));
        if let Some(suffix) = protected {
            return Err(Problem::new(format!(
                "group `{text}` ends in `{suffix}`, which the API server keeps for Kubernetes' own, approved APIs"
            ))
            .mend("use a domain of your own, such as `db.example.com`"));
        }
        Ok(group)
    }

    /// Checks the group of a CRD that exists already.
    ///
    /// # Errors
    /// What is wrong with the group.
    pub fn parse_existing(text: &str) -> Result<Self, Problem> {
        let wrong = |why: String| {
            Problem::new(format!("`{text}` is not an API group: {why}"))
                .mend("use a domain of your own in lowercase, such as `db.example.com`")
        };
        if text.len() > SUBDOMAIN {
            return Err(wrong(format!(
                "it has {} characters of {SUBDOMAIN}",
                text.len()
            )));
        }
        for label in text.split('.') {
            dns_label(label).map_err(wrong)?;
        }
        if !text.contains('.') {
            return Err(wrong("it has no dot".to_owned()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl ApiVersion {
    /// Checks that the version is a DNS label that begins with a letter.
    ///
    /// # Errors
    /// What is wrong with the version.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        dns_name(text).map_err(|why| {
            Problem::new(format!("`{text}` is not an API version: {why}"))
                .mend("use a version such as `v1alpha1`, `v1beta1` or `v1`")
        })?;
        Ok(Self(text.to_owned()))
    }
}

impl Plural {
    /// Checks that the plural is a DNS label that begins with a letter, and that it fits with its group.
    ///
    /// # Errors
    /// What is wrong with the plural.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        dns_name(text).map_err(|why| {
            Problem::new(format!("`{text}` is not a resource name: {why}"))
                .mend("use the kind's plural in lowercase, such as `databases`")
        })?;
        Ok(Self(text.to_owned()))
    }
}

impl ShortName {
    /// Checks that the short name is a DNS label and not one of Kubernetes' own.
    ///
    /// # Errors
    /// What is wrong with the name.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        dns_name(text).map_err(|why| {
            Problem::new(format!("`{text}` is not a short name: {why}"))
                .mend("use a few lowercase letters, such as `db`")
        })?;
        if reserved::SHORT_NAMES.contains(&text) {
            return Err(Problem::new(format!(
                "short name `{text}` belongs to a resource of Kubernetes itself, and kubectl would answer with that one"
            ))
            .mend("choose another short name"));
        }
        Ok(Self(text.to_owned()))
    }
}

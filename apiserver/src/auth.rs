//! Who is asking: static tokens, impersonation, and the identities of in-process clients.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use http::HeaderMap;

use crate::error::{ApiError, ApiResult};

/// An identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) groups: Vec<String>,
}

static ADMIN: LazyLock<Arc<User>> =
    LazyLock::new(|| Arc::new(User::new("kubernetes-admin", "", &["system:masters"])));

impl User {
    pub(crate) fn admin() -> Arc<Self> {
        ADMIN.clone()
    }

    pub(crate) fn anonymous() -> Self {
        Self {
            name: "system:anonymous".into(),
            uid: String::new(),
            groups: vec!["system:unauthenticated".into()],
        }
    }

    /// An authenticated user; service accounts get the groups of theirs.
    pub(crate) fn new(name: &str, uid: &str, groups: &[&str]) -> Self {
        let mut all: Vec<String> = groups.iter().map(|g| (*g).to_owned()).collect();
        if let Some((namespace, _)) = name
            .strip_prefix("system:serviceaccount:")
            .and_then(|rest| rest.split_once(':'))
        {
            all.push("system:serviceaccounts".into());
            all.push(format!("system:serviceaccounts:{namespace}"));
        }
        all.push("system:authenticated".into());
        let mut user = Self {
            name: name.to_owned(),
            uid: uid.to_owned(),
            groups: Vec::new(),
        };
        for group in all {
            if !user.groups.contains(&group) {
                user.groups.push(group);
            }
        }
        user
    }

    pub(crate) fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|g| g == group)
    }
}

/// Tokens and whom they belong to.
#[derive(Debug, Default)]
pub(crate) struct Tokens(HashMap<String, Arc<User>>);

impl Tokens {
    pub(crate) fn add(&mut self, token: &str, user: User) {
        self.0.insert(token.to_owned(), Arc::new(user));
    }

    /// The user of a request that came over HTTP. `open` is what a request without credentials gets
    /// when there are no tokens at all.
    pub(crate) fn authenticate(&self, headers: &HeaderMap, open: bool) -> ApiResult<Arc<User>> {
        let header = headers
            .get(http::header::AUTHORIZATION)
            .and_then(|v| v.to_str().ok());
        match header.and_then(|v| {
            v.strip_prefix("Bearer ")
                .or_else(|| v.strip_prefix("bearer "))
        }) {
            Some(token) => match self.0.get(token.trim()) {
                Some(user) => Ok(user.clone()),
                None if self.0.is_empty() && open => Ok(User::admin()),
                None => Err(ApiError::unauthorized()),
            },
            None if self.0.is_empty() && open => Ok(User::admin()),
            None => Ok(self
                .0
                .get("")
                .cloned()
                .unwrap_or_else(|| Arc::new(User::anonymous()))),
        }
    }
}

/// The user that a request asks to be taken for.
pub(crate) fn impersonated(headers: &HeaderMap) -> ApiResult<Option<User>> {
    let is_asked = |head: &str| headers.keys().any(|name| name.as_str().starts_with(head));
    if !is_asked("impersonate-") {
        return Ok(None);
    }
    if is_asked("impersonate-extra-") {
        return Err(ApiError::not_implemented(
            "this server does not keep the extra fields of users; leave Impersonate-Extra out",
        ));
    }
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok());
    let groups: Vec<&str> = headers
        .get_all("impersonate-group")
        .iter()
        .filter_map(|v| v.to_str().ok())
        .collect();
    let Some(name) = text("impersonate-user").filter(|n| !n.is_empty()) else {
        if !groups.is_empty() || text("impersonate-uid").is_some() {
            return Err(ApiError::internal(
                "requested [{UID  map[]}] without impersonating a user name",
            ));
        }
        return Ok(None);
    };
    let uid = text("impersonate-uid").unwrap_or_default();
    if name == "system:anonymous" {
        return Ok(Some(User::anonymous()));
    }
    Ok(Some(User::new(name, uid, &groups)))
}

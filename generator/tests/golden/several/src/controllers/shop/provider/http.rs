//! The provider over HTTP: `PUT`, `GET` and `DELETE` on `{base}/instances/{key}`. Change paths and bodies to your
//! provider's; what has to stay is that `create` finds what the same key made before, and that only an answer about this
//! very key proves absence.

use opgen_runtime::{
    external::{CallError, CallResult, http_client},
    prelude::*,
    status::Sensitive,
};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, Url};
use serde_json::json;

use super::{Instance, InstanceId, ShopProvider};
use crate::api::ShopSpec;

/// Talks to the provider's API.
#[derive(Clone, Debug)]
pub struct HttpProvider {
    client: Client,
    base: Url,
    token: Option<Sensitive<String>>,
}

impl HttpProvider {
    /// A provider at `base`, with a bearer token if there is one.
    ///
    /// # Errors
    /// If `base` is no URL.
    pub fn new(base: &str, token: Option<String>) -> Result<Self> {
        let base: Url = base.parse().map_err(|error| {
            Error::msg(format!(
                "the provider's URL {base:?} cannot be used: {error}"
            ))
        })?;
        if base.cannot_be_a_base() {
            return Err(Error::msg(format!(
                "the provider's URL `{base}` has no host: write `https://..`"
            )));
        }
        // Connect, read and total timeouts are set: reqwest has none by default.
        Ok(Self {
            client: http_client()?,
            base,
            token: token.map(Sensitive::new),
        })
    }

    fn instance(&self, method: Method, id: &str) -> RequestBuilder {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["instances", id]);
        }
        let request = self.client.request(method, url);
        match &self.token {
            Some(token) => request.bearer_auth(token.expose()),
            None => request,
        }
    }
}

/// Turns an error status into the error that says whether to try again.
async fn accepted(response: Response) -> CallResult<Response> {
    if response.status().is_success() {
        return Ok(response);
    }
    let (status, headers) = (response.status(), response.headers().clone());
    let body = response.text().await.unwrap_or_default();
    Err(CallError::from_response(status, &headers, &body))
}

#[timeout_client]
impl ShopProvider for HttpProvider {
    async fn create(&self, key: &IdempotencyKey, spec: &ShopSpec) -> CallResult<InstanceId> {
        let request = self
            .instance(Method::PUT, key.as_str())
            .json(&json!({ "size": spec.size }));
        let instance: Instance = accepted(request.send().await?).await?.json().await?;
        Ok(instance.id)
    }

    async fn observe(&self, key: &IdempotencyKey) -> CallResult<Observed<Instance>> {
        let response = self.instance(Method::GET, key.as_str()).send().await?;
        // 404 on the very thing that was asked for is a proof. An empty list, a 401 or a timeout is none.
        if let Some(proof) = Absent::by_status(key, response.status()) {
            return Ok(Observed::Absent(proof));
        }
        Ok(Observed::Present(accepted(response).await?.json().await?))
    }

    async fn update(&self, id: &InstanceId, spec: &ShopSpec) -> CallResult<()> {
        let request = self
            .instance(Method::PUT, id)
            .json(&json!({ "size": spec.size }));
        accepted(request.send().await?).await?;
        Ok(())
    }

    async fn destroy(&self, id: &InstanceId) -> CallResult<()> {
        let response = self.instance(Method::DELETE, id).send().await?;
        if response.status() != StatusCode::NOT_FOUND {
            accepted(response).await?;
        }
        Ok(())
    }
}

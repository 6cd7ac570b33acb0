//! The three requests an elector makes.

use http::Request;
use serde_json::Value;

use super::record::Record;

/// The Lease on the server.
pub(super) struct LeaseApi {
    pub(super) client: kube::Client,
    pub(super) namespace: String,
    pub(super) name: String,
}

/// Why a request did not do what it was to.
#[derive(Debug)]
pub(super) enum Failure {
    /// Somebody else wrote first.
    Conflict,
    /// The server says no: a right or the namespace is missing.
    Refused(String),
    /// Anything else.
    Unclear(String),
}

impl LeaseApi {
    fn collection(&self) -> String {
        format!(
            "/apis/coordination.k8s.io/v1/namespaces/{}/leases",
            self.namespace
        )
    }

    fn object(&self) -> String {
        format!("{}/{}", self.collection(), self.name)
    }

    pub(super) async fn get(&self) -> Result<Option<Record>, Failure> {
        match self.send(Request::get(self.object()), None).await {
            Ok(lease) => Ok(Some(Record::new(lease))),
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(None),
            Err(error) => Err(self.failure(&error)),
        }
    }

    pub(super) async fn create(&self, lease: &Value) -> Result<Record, Failure> {
        self.send(Request::post(self.collection()), Some(lease))
            .await
            .map(Record::new)
            .map_err(|error| self.failure(&error))
    }

    pub(super) async fn replace(&self, lease: &Value) -> Result<Record, Failure> {
        self.send(Request::put(self.object()), Some(lease))
            .await
            .map(Record::new)
            .map_err(|error| self.failure(&error))
    }

    async fn send(
        &self,
        request: http::request::Builder,
        body: Option<&Value>,
    ) -> Result<Value, kube::Error> {
        let body = match body {
            Some(body) => serde_json::to_vec(body).map_err(kube::Error::SerdeError)?,
            None => Vec::new(),
        };
        let request = request
            .header(http::header::CONTENT_TYPE, "application/json")
            .body(body)
            .map_err(|error| {
                kube::Error::BuildRequest(kube::core::request::Error::BuildRequest(error))
            })?;
        self.client.request(request).await
    }

    fn failure(&self, error: &kube::Error) -> Failure {
        match error {
            kube::Error::Api(status) => match status.code {
                409 => Failure::Conflict,
                403 => Failure::Refused(format!(
                    "{}: apply the role that `manifests` prints, or run without leader election",
                    status.message
                )),
                404 => Failure::Refused(format!(
                    "{}: create the namespace {} for the lease, name another one with --home, or run without leader election",
                    status.message, self.namespace
                )),
                _ => Failure::Unclear(error.to_string()),
            },
            _ => Failure::Unclear(error.to_string()),
        }
    }
}

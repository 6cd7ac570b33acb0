use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

#[derive(Debug, Deserialize)]
pub struct Instance {
    pub id: String,
    pub size: i64,
    pub state: String,
}

pub struct HttpProvider {
    client: reqwest::Client,
    base: String,
}

impl HttpProvider {
    pub fn from_env() -> Result<Self, Box<dyn std::error::Error>> {
        let client = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(5))
            .timeout(Duration::from_secs(15))
            .build()?;
        Ok(Self { client, base: std::env::var("DATABASE_API_URL")? })
    }

    fn url(&self, key: &str) -> String {
        format!("{}/instances/{key}", self.base)
    }

    pub async fn observe(&self, key: &str) -> reqwest::Result<Option<Instance>> {
        let response = self.client.get(self.url(key)).send().await?;
        if response.status() == reqwest::StatusCode::NOT_FOUND {
            return Ok(None);
        }
        Ok(Some(response.error_for_status()?.json().await?))
    }

    pub async fn put(&self, key: &str, size: i64) -> reqwest::Result<Instance> {
        let request = self.client.put(self.url(key)).json(&json!({ "size": size }));
        request.send().await?.error_for_status()?.json().await
    }

    pub async fn delete(&self, key: &str) -> reqwest::Result<()> {
        let response = self.client.delete(self.url(key)).send().await?;
        if response.status() != reqwest::StatusCode::NOT_FOUND {
            response.error_for_status()?;
        }
        Ok(())
    }
}

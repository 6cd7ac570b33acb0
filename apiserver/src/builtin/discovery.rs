//! EndpointSlices.

use serde_json::{Value, json};

use super::Group;
use crate::schema::Cause;

pub(super) struct Discovery;

impl Group for Discovery {
    fn name(&self) -> (&'static str, &'static str) {
        ("discovery.k8s.io", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn check(&self, _kind: &str, object: &Value, old: Option<&Value>) -> Vec<Cause> {
        let kinds = ["FQDN", "IPv4", "IPv6"];
        let kind = &object["addressType"];
        match kind.as_str().unwrap_or_default() {
            "" => vec![Cause::required("addressType", "")],
            text if !kinds.contains(&text) => vec![Cause::unsupported("addressType", kind, kinds)],
            _ if old.is_some_and(|old| old["addressType"] != *kind) => {
                vec![Cause::invalid("addressType", kind, "field is immutable")]
            }
            _ => Vec::new(),
        }
    }

    fn cell(&self, _kind: &str, column: &str, object: &Value) -> Value {
        let join = |texts: Vec<String>| {
            json!(if texts.is_empty() {
                "<unset>".to_owned()
            } else {
                texts.join(",")
            })
        };
        match column {
            "Ports" => {
                let ports = object["ports"].as_array().into_iter().flatten();
                join(
                    ports
                        .filter_map(|port| port["port"].as_i64())
                        .map(|port| port.to_string())
                        .collect(),
                )
            }
            "Endpoints" => {
                let endpoints = object["endpoints"].as_array().into_iter().flatten();
                let addresses = endpoints
                    .flat_map(|endpoint| endpoint["addresses"].as_array().into_iter().flatten());
                join(
                    addresses
                        .filter_map(|address| address.as_str().map(str::to_owned))
                        .collect(),
                )
            }
            _ => Value::Null,
        }
    }
}

const TEXT: &str = r#"
kind EndpointSlice endpointslices generation
| Name string .metadata.name
| AddressType string .addressType
| Ports string
| Endpoints string
| Age string age
EndpointSlice
  addressType str!
  endpoints [Endpoint]! atomic
  ports [SlicePort]! atomic
Endpoint
  addresses [str]! set
  conditions EndpointConditions!
  hostname str*
  targetRef ObjectReference
  deprecatedTopology <str>
  nodeName str*
  zone str*
  hints any
EndpointConditions
  ready bool*
  serving bool*
  terminating bool*
SlicePort atomic
  name str* =""
  protocol str* ="TCP"
  port int*
  appProtocol str*
"#;

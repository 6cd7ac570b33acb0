//! Ingresses, ingress classes, network policies.

use serde_json::{Value, json};

use super::Group;
use super::pod::set_default;
use crate::schema::Cause;

pub(super) struct Networking;

impl Group for Networking {
    fn name(&self) -> (&'static str, &'static str) {
        ("networking.k8s.io", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn fill(&self, kind: &str, object: &mut Value) {
        if kind == "NetworkPolicy" {
            let egress = object["spec"].get("egress").is_some();
            let types = if egress {
                json!(["Ingress", "Egress"])
            } else {
                json!(["Ingress"])
            };
            set_default(&mut object["spec"], "policyTypes", types);
        }
    }

    fn check(&self, kind: &str, object: &Value, _old: Option<&Value>) -> Vec<Cause> {
        let mut causes = Vec::new();
        if kind == "Ingress" {
            check_ingress(&object["spec"], &mut causes);
        }
        causes
    }

    fn cell(&self, _kind: &str, column: &str, object: &Value) -> Value {
        let spec = &object["spec"];
        match column {
            "Class" => spec
                .get("ingressClassName")
                .cloned()
                .unwrap_or_else(|| json!("<none>")),
            "Hosts" => {
                let rules = spec["rules"].as_array().into_iter().flatten();
                let hosts: Vec<&str> = rules.filter_map(|rule| rule["host"].as_str()).collect();
                json!(if hosts.is_empty() {
                    "*".to_owned()
                } else {
                    hosts.join(",")
                })
            }
            "Address" => {
                let list = object["status"]["loadBalancer"]["ingress"]
                    .as_array()
                    .into_iter()
                    .flatten();
                let name = |entry: &Value| {
                    entry["ip"]
                        .as_str()
                        .or(entry["hostname"].as_str())
                        .map(str::to_owned)
                };
                json!(list.filter_map(name).collect::<Vec<_>>().join(","))
            }
            "Ports" => json!(if spec.get("tls").is_some() {
                "80, 443"
            } else {
                "80"
            }),
            "Pod-Selector" => super::table::selector_text(&spec["podSelector"]),
            "Parameters" => json!("<none>"),
            _ => Value::Null,
        }
    }
}

fn check_ingress(spec: &Value, causes: &mut Vec<Cause>) {
    let rules = spec["rules"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    if rules.is_empty() && spec.get("defaultBackend").is_none() {
        let detail = "either `defaultBackend` or `rules` must be specified";
        causes.push(Cause::invalid("spec", &json!([]), detail));
    }
    for (index, rule) in rules.iter().enumerate() {
        for (path_index, path) in rule["http"]["paths"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
        {
            let at = format!("spec.rules[{index}].http.paths[{path_index}]");
            match path["pathType"].as_str() {
                None => causes.push(Cause::required(
                    format!("{at}.pathType"),
                    "pathType must be specified",
                )),
                Some("Exact" | "Prefix" | "ImplementationSpecific") => {}
                Some(_) => {
                    let kinds = ["Exact", "ImplementationSpecific", "Prefix"];
                    causes.push(Cause::unsupported(
                        format!("{at}.pathType"),
                        &path["pathType"],
                        kinds,
                    ));
                }
            }
        }
    }
}

const TEXT: &str = r#"
kind Ingress ingresses short=ing status generation
| Name string .metadata.name
| Class string
| Hosts string
| Address string
| Ports string
| Age string age
Ingress
  spec IngressSpec!
  status IngressStatus!
IngressSpec
  ingressClassName str*
  defaultBackend IngressBackend
  tls [IngressTLS] atomic
  rules [IngressRule] atomic
IngressBackend
  service IngressServiceBackend
  resource TypedLocalObjectReference
IngressServiceBackend
  name str!
  port ServiceBackendPort!
ServiceBackendPort atomic
  name str
  number int
IngressTLS
  hosts [str] atomic
  secretName str
IngressRule
  host str
  http HTTPIngressRuleValue
HTTPIngressRuleValue
  paths [HTTPIngressPath]! atomic
HTTPIngressPath
  path str
  pathType str*
  backend IngressBackend!
IngressStatus
  loadBalancer IngressLoadBalancerStatus!
IngressLoadBalancerStatus
  ingress [IngressLoadBalancerIngress] atomic
IngressLoadBalancerIngress
  ip str
  hostname str
  ports [PortStatus] atomic
kind IngressClass ingressclasses cluster generation
| Name string .metadata.name
| Controller string .spec.controller
| Parameters string
| Age string age
IngressClass
  spec IngressClassSpec!
IngressClassSpec
  controller str
  parameters IngressClassParameters
IngressClassParameters
  apiGroup str*
  kind str!
  name str!
  scope str*
  namespace str*
kind NetworkPolicy networkpolicies short=netpol generation
| Name string .metadata.name
| Pod-Selector string
| Age string age
NetworkPolicy
  spec NetworkPolicySpec!
NetworkPolicySpec
  podSelector LabelSelector!
  ingress [NetworkPolicyIngressRule] atomic
  egress [NetworkPolicyEgressRule] atomic
  policyTypes [str] atomic
NetworkPolicyIngressRule
  ports [NetworkPolicyPort] atomic
  from [NetworkPolicyPeer] atomic
NetworkPolicyEgressRule
  ports [NetworkPolicyPort] atomic
  to [NetworkPolicyPeer] atomic
NetworkPolicyPort
  protocol str* ="TCP"
  port ios
  endPort int*
NetworkPolicyPeer
  podSelector LabelSelector
  namespaceSelector LabelSelector
  ipBlock IPBlock
IPBlock
  cidr str!
  except [str] atomic
"#;

//! Services.

use serde_json::{Value, json};

use super::Group;
use super::pod::set_default;
use crate::schema::Cause;

pub(super) struct Services;

impl Group for Services {
    fn name(&self) -> (&'static str, &'static str) {
        ("", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn fill(&self, _kind: &str, object: &mut Value) {
        let spec = &mut object["spec"];
        set_default(spec, "type", json!("ClusterIP"));
        set_default(spec, "sessionAffinity", json!("None"));
        let kind = spec["type"].as_str().unwrap_or_default().to_owned();
        if kind != "ExternalName" {
            set_default(spec, "internalTrafficPolicy", json!("Cluster"));
        }
        if matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
            set_default(spec, "externalTrafficPolicy", json!("Cluster"));
        }
        if kind == "LoadBalancer" {
            set_default(spec, "allocateLoadBalancerNodePorts", json!(true));
        }
        if spec["sessionAffinity"] == "ClientIP" {
            set_default(
                spec,
                "sessionAffinityConfig",
                json!({ "clientIP": { "timeoutSeconds": 10800 } }),
            );
        }
        for port in spec
            .get_mut("ports")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            let number = port["port"].clone();
            set_default(port, "targetPort", number);
        }
    }

    fn prepare_create(&self, _kind: &str, object: &mut Value) {
        let address = address(object);
        let spec = &mut object["spec"];
        if spec["type"] == "ExternalName" {
            return;
        }
        set_default(spec, "clusterIP", json!(address));
        let cluster_ip = spec["clusterIP"].clone();
        set_default(spec, "clusterIPs", json!([cluster_ip]));
        set_default(spec, "ipFamilies", json!(["IPv4"]));
        set_default(spec, "ipFamilyPolicy", json!("SingleStack"));
    }

    fn prepare_update(&self, kind: &str, object: &mut Value, old: &Value, subresource: &str) {
        // What the server assigned stays unless the type changes to one without an address.
        if subresource.is_empty() && object["spec"]["type"] != "ExternalName" {
            for name in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
                if let Some(value) = old["spec"].get(name) {
                    set_default(&mut object["spec"], name, value.clone());
                }
            }
            self.prepare_create(kind, object);
        }
    }

    fn check(&self, _kind: &str, object: &Value, old: Option<&Value>) -> Vec<Cause> {
        let spec = &object["spec"];
        let mut causes = Vec::new();
        let kind = spec["type"].as_str().unwrap_or_default();
        let kinds = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
        if !kinds.contains(&kind) {
            causes.push(Cause::unsupported("spec.type", &spec["type"], kinds));
        }
        let ports = spec["ports"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        if ports.is_empty() && kind != "ExternalName" && spec["clusterIP"] != "None" {
            causes.push(Cause::required("spec.ports", ""));
        }
        if kind == "ExternalName" && spec["externalName"].as_str().unwrap_or_default().is_empty() {
            causes.push(Cause::required("spec.externalName", ""));
        }
        check_ports(ports, &mut causes);
        if let Some(old) = old
            && kind != "ExternalName"
            && old["spec"]
                .get("clusterIP")
                .is_some_and(|ip| *ip != spec["clusterIP"])
        {
            causes.push(Cause::invalid(
                "spec.clusterIPs[0]",
                &spec["clusterIPs"],
                "may not change once set",
            ));
        }
        causes
    }

    fn cell(&self, _kind: &str, column: &str, object: &Value) -> Value {
        let spec = &object["spec"];
        match column {
            "External-IP" => json!("<none>"),
            "Cluster-IP" => spec
                .get("clusterIP")
                .cloned()
                .unwrap_or_else(|| json!("<none>")),
            "Port(s)" => {
                let ports = spec["ports"].as_array().into_iter().flatten();
                let texts: Vec<String> = ports
                    .map(|port| {
                        format!(
                            "{}/{}",
                            port["port"],
                            port["protocol"].as_str().unwrap_or("TCP")
                        )
                    })
                    .collect();
                json!(if texts.is_empty() {
                    "<none>".to_owned()
                } else {
                    texts.join(",")
                })
            }
            "Selector" => super::table::selector_text(&json!({ "matchLabels": spec["selector"] })),
            _ => Value::Null,
        }
    }
}

/// An address of 10.96.0.0/16 that depends on the name alone: tests see the same one each time.
fn address(service: &Value) -> String {
    let meta = &service["metadata"];
    let name = format!(
        "{}/{}",
        meta["namespace"].as_str().unwrap_or_default(),
        meta["name"].as_str().unwrap_or_default()
    );
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    format!("10.96.{}.{}", hash >> 8 & 0xff, 1 + hash % 254)
}

fn check_ports(ports: &[Value], causes: &mut Vec<Cause>) {
    let mut seen: Vec<(&Value, &Value)> = Vec::new();
    for (index, port) in ports.iter().enumerate() {
        let at = format!("spec.ports[{index}]");
        if ports.len() > 1 && port["name"].as_str().unwrap_or_default().is_empty() {
            causes.push(Cause::required(format!("{at}.name"), ""));
        }
        if !(1..=65535).contains(&port["port"].as_i64().unwrap_or_default()) {
            let detail = "must be between 1 and 65535, inclusive";
            causes.push(Cause::invalid(format!("{at}.port"), &port["port"], detail));
        }
        let protocols = ["SCTP", "TCP", "UDP"];
        if !protocols.contains(&port["protocol"].as_str().unwrap_or_default()) {
            causes.push(Cause::unsupported(
                format!("{at}.protocol"),
                &port["protocol"],
                protocols,
            ));
        }
        let key = (&port["port"], &port["protocol"]);
        if seen.contains(&key) {
            causes.push(Cause::duplicate(
                at,
                &json!({ "protocol": port["protocol"], "port": port["port"] }),
            ));
        }
        seen.push(key);
    }
}

const TEXT: &str = r#"
kind Service services short=svc categories=all status select=spec.clusterIP,spec.type
| Name string .metadata.name
| Type string .spec.type
| Cluster-IP string
| External-IP string
| Port(s) string
| Age string age
| Selector string wide
Service
  spec ServiceSpec!
  status ServiceStatus!
ServiceSpec
  ports [ServicePort] key=port,protocol merge=port
  selector <str> atomic
  clusterIP str
  clusterIPs [str] atomic
  type str
  externalIPs [str] atomic
  sessionAffinity str
  loadBalancerIP str
  loadBalancerSourceRanges [str] atomic
  externalName str
  externalTrafficPolicy str
  healthCheckNodePort int
  publishNotReadyAddresses bool
  sessionAffinityConfig SessionAffinityConfig
  ipFamilies [str] atomic
  ipFamilyPolicy str*
  allocateLoadBalancerNodePorts bool*
  loadBalancerClass str*
  internalTrafficPolicy str*
  trafficDistribution str*
ServicePort
  name str
  protocol str ="TCP"
  appProtocol str*
  port int!
  targetPort ios
  nodePort int
SessionAffinityConfig
  clientIP ClientIPConfig
ClientIPConfig
  timeoutSeconds int*
ServiceStatus
  loadBalancer LoadBalancerStatus!
  conditions [Condition] key=type merge=type
LoadBalancerStatus
  ingress [LoadBalancerIngress] atomic
LoadBalancerIngress
  ip str
  hostname str
  ipMode str*
  ports [PortStatus] atomic
PortStatus
  port int!
  protocol str!
  error str*
"#;

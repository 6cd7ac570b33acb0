//! The core group: configuration, namespaces, nodes, volumes, accounts. Pods and services have files of their own.

use base64::Engine as _;
use serde_json::{Value, json};

use super::Group;
use super::labels::entries;
use super::table::at;
use crate::schema::Cause;

pub(super) struct Core;

impl Group for Core {
    fn name(&self) -> (&'static str, &'static str) {
        ("", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn fill(&self, kind: &str, object: &mut Value) {
        match kind {
            "Secret" => take_string_data(object),
            "Namespace" => label_namespace(object),
            "PersistentVolumeClaim" => {
                super::pod::set_default(&mut object["spec"], "volumeMode", json!("Filesystem"))
            }
            _ => {}
        }
    }

    fn prepare_create(&self, kind: &str, object: &mut Value) {
        match kind {
            "Namespace" => {
                object["spec"] = json!({ "finalizers": ["kubernetes"] });
                object["status"] = json!({ "phase": "Active" });
            }
            "PersistentVolumeClaim" => object["status"] = json!({ "phase": "Pending" }),
            "PersistentVolume" => object["status"] = json!({ "phase": "Pending" }),
            _ => {}
        }
    }

    fn prepare_update(&self, kind: &str, object: &mut Value, old: &Value, subresource: &str) {
        if kind == "Namespace" {
            if subresource != "finalize" {
                object["spec"] = old["spec"].clone();
            }
            if subresource != "status" {
                object["status"] = old["status"].clone();
            }
            label_namespace(object);
        }
    }

    fn check(&self, kind: &str, object: &Value, old: Option<&Value>) -> Vec<Cause> {
        let mut causes = Vec::new();
        match kind {
            "ConfigMap" => check_config_map(object, &mut causes),
            "Secret" => check_secret(object, old, &mut causes),
            "PersistentVolumeClaim" => check_claim(object, &mut causes),
            "Event" => super::events::check_core(object, &mut causes),
            _ => {}
        }
        if let (Some(old), "ConfigMap" | "Secret") = (old, kind) {
            check_immutable(object, old, &mut causes);
        }
        causes
    }

    fn warnings(&self, kind: &str, object: &Value) -> Vec<String> {
        let tls = kind == "Secret" && object["type"] == "kubernetes.io/tls";
        let certificate = at(object, ".data")
            .and_then(|data| data["tls.crt"].as_str())
            .unwrap_or_default();
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(certificate)
            .unwrap_or_default();
        if tls && !String::from_utf8_lossy(&bytes).contains("-----BEGIN") {
            return vec!["tls: failed to find any PEM data in certificate input".to_owned()];
        }
        Vec::new()
    }

    fn selected(&self, object: &Value, field: &str) -> Option<Value> {
        super::events::selected(object, field)
    }

    fn cell(&self, kind: &str, column: &str, object: &Value) -> Value {
        let count = |name: &str| object[name].as_object().map_or(0, serde_json::Map::len);
        match (kind, column) {
            ("ConfigMap" | "Secret", "Data") => json!(count("data") + count("binaryData")),
            ("ServiceAccount", "Secrets") => {
                json!(object["secrets"].as_array().map_or(0, Vec::len))
            }
            ("Node", "Status") => json!(node_status(object)),
            ("Node", "Roles") => json!("<none>"),
            ("PersistentVolumeClaim", "Access Modes") => {
                let modes = object["status"]["accessModes"]
                    .as_array()
                    .into_iter()
                    .flatten();
                json!(
                    modes
                        .filter_map(Value::as_str)
                        .map(short_mode)
                        .collect::<Vec<_>>()
                        .join(",")
                )
            }
            ("PersistentVolumeClaim", "VolumeAttributesClass") => json!("<unset>"),
            ("Event", "Object") => {
                let involved = &object["involvedObject"];
                let kind = involved["kind"].as_str().unwrap_or_default().to_lowercase();
                json!(format!(
                    "{kind}/{}",
                    involved["name"].as_str().unwrap_or_default()
                ))
            }
            ("Endpoints", "Endpoints") => json!("<none>"),
            _ => Value::Null,
        }
    }
}

fn short_mode(mode: &str) -> &str {
    match mode {
        "ReadWriteOnce" => "RWO",
        "ReadOnlyMany" => "ROX",
        "ReadWriteMany" => "RWX",
        "ReadWriteOncePod" => "RWOP",
        other => other,
    }
}

fn node_status(node: &Value) -> String {
    let conditions = node["status"]["conditions"]
        .as_array()
        .into_iter()
        .flatten();
    let ready = conditions
        .into_iter()
        .find(|condition| condition["type"] == "Ready");
    let mut text = match ready.map(|ready| ready["status"] == "True") {
        Some(true) => "Ready".to_owned(),
        Some(false) => "NotReady".to_owned(),
        None => "Unknown".to_owned(),
    };
    if node["spec"]["unschedulable"] == true {
        text.push_str(",SchedulingDisabled");
    }
    text
}

fn take_string_data(secret: &mut Value) {
    let Some(map) = secret.as_object_mut() else {
        return;
    };
    let Some(Value::Object(texts)) = map.remove("stringData") else {
        return;
    };
    let data = map.entry("data").or_insert_with(|| json!({}));
    for (key, text) in texts {
        let text = text.as_str().unwrap_or_default();
        data[&key] = json!(base64::engine::general_purpose::STANDARD.encode(text));
    }
}

fn label_namespace(namespace: &mut Value) {
    let Some(name) = namespace["metadata"]["name"]
        .as_str()
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
    else {
        return;
    };
    super::pod::set_default(&mut namespace["metadata"], "labels", json!({}));
    namespace["metadata"]["labels"]["kubernetes.io/metadata.name"] = json!(name);
}

fn check_key(field: &str, key: &str, causes: &mut Vec<Cause>) {
    let at = format!("{field}[{key}]");
    let value = json!(key);
    if key.len() > 253 {
        causes.push(Cause::invalid(
            at,
            &value,
            "must be no more than 253 characters",
        ));
    } else if key.is_empty()
        || !key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
    {
        let detail = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  \
                      or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
        causes.push(Cause::invalid(at, &value, detail));
    } else if key == "." || key == ".." {
        causes.push(Cause::invalid(at, &value, format!("must not be '{key}'")));
    } else if key.starts_with("..") {
        causes.push(Cause::invalid(at, &value, "must not start with '..'"));
    }
}

/// The most that the values of a ConfigMap or Secret may come to, in bytes.
const MAX_DATA: usize = 1024 * 1024;

fn check_config_map(object: &Value, causes: &mut Vec<Cause>) {
    let mut size = 0;
    for (key, text) in entries(&object["data"]) {
        check_key("data", key, causes);
        if object["binaryData"].get(key).is_some() {
            causes.push(Cause::invalid(
                format!("data[{key}]"),
                &json!(key),
                "duplicate of key present in binaryData",
            ));
        }
        size += text.as_str().map_or(0, str::len);
    }
    for (key, text) in entries(&object["binaryData"]) {
        check_key("binaryData", key, causes);
        size += text.as_str().map_or(0, str::len) / 4 * 3;
    }
    if size > MAX_DATA {
        causes.push(Cause::too_long("", MAX_DATA as u64));
    }
}

fn check_secret(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let mut size = 0;
    for (key, text) in entries(&object["data"]) {
        check_key("data", key, causes);
        size += text.as_str().map_or(0, str::len) / 4 * 3;
    }
    if size > MAX_DATA {
        causes.push(Cause::too_long("data", MAX_DATA as u64));
    }
    if let Some(old) = old
        && old["type"] != object["type"]
    {
        causes.push(Cause::invalid(
            "type",
            &object["type"],
            "field is immutable",
        ));
        return;
    }
    let required: &[&str] = match object["type"].as_str().unwrap_or_default() {
        "kubernetes.io/tls" => &["tls.crt", "tls.key"],
        "kubernetes.io/dockerconfigjson" => &[".dockerconfigjson"],
        "kubernetes.io/dockercfg" => &[".dockercfg"],
        "kubernetes.io/ssh-auth" => &["ssh-privatekey"],
        _ => &[],
    };
    for key in required
        .iter()
        .filter(|key| object["data"].get(**key).is_none())
    {
        causes.push(Cause::required(format!("data[{key}]"), ""));
    }
    if object["type"] == "kubernetes.io/basic-auth"
        && ["username", "password"]
            .iter()
            .all(|key| object["data"].get(key).is_none())
    {
        causes.push(Cause::required("data[username]", ""));
        causes.push(Cause::required("data[password]", ""));
    }
    if object["type"] == "kubernetes.io/service-account-token"
        && object["metadata"]["annotations"]
            .get("kubernetes.io/service-account.name")
            .is_none()
    {
        causes.push(Cause::required(
            "metadata.annotations[kubernetes.io/service-account.name]",
            "",
        ));
    }
}

fn check_immutable(object: &Value, old: &Value, causes: &mut Vec<Cause>) {
    if old["immutable"] != true {
        return;
    }
    let detail = "field is immutable when `immutable` is set";
    if object["immutable"] != true {
        causes.push(Cause::forbidden("immutable", detail));
    }
    for field in ["data", "binaryData"] {
        if object.get(field) != old.get(field) {
            causes.push(Cause::forbidden(field, detail));
        }
    }
}

fn check_claim(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    if spec["accessModes"].as_array().is_none_or(Vec::is_empty) {
        causes.push(Cause::required(
            "spec.accessModes",
            "at least 1 access mode is required",
        ));
    }
    if spec["resources"]["requests"].get("storage").is_none() {
        causes.push(Cause::required("spec.resources[storage]", ""));
    }
}

const TEXT: &str = include_str!("core.txt");

//! Jobs and CronJobs.

use serde_json::{Value, json};

use super::Group;
use super::pod::{check_spec, fill_spec, set_default};
use super::table::{containers, selector_text};
use crate::schema::Cause;

pub(super) struct Batch;

impl Group for Batch {
    fn name(&self) -> (&'static str, &'static str) {
        ("batch", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn fill(&self, kind: &str, object: &mut Value) {
        match kind {
            "Job" => {
                let spec = &mut object["spec"];
                fill_spec(&mut spec["template"]["spec"]);
                fill_job(spec);
            }
            _ => fill_spec(&mut object["spec"]["jobTemplate"]["spec"]["template"]["spec"]),
        }
    }

    fn prepare_create(&self, kind: &str, object: &mut Value) {
        if kind == "Job"
            && object["spec"]["manualSelector"] != true
            && object["spec"].get("selector").is_none()
        {
            label_by_uid(object);
        }
    }

    fn check(&self, kind: &str, object: &Value, old: Option<&Value>) -> Vec<Cause> {
        let mut causes = Vec::new();
        let (spec, path) = match kind {
            "Job" => (&object["spec"], "spec"),
            _ => (
                &object["spec"]["jobTemplate"]["spec"],
                "spec.jobTemplate.spec",
            ),
        };
        let template = &spec["template"]["spec"];
        check_spec(template, &format!("{path}.template.spec"), &mut causes);
        let policy = &template["restartPolicy"];
        if *policy == "Always" {
            let at = format!("{path}.template.spec.restartPolicy");
            causes.push(Cause::unsupported(at, policy, ["OnFailure", "Never"]));
        }
        for name in [
            "parallelism",
            "completions",
            "backoffLimit",
            "activeDeadlineSeconds",
            "ttlSecondsAfterFinished",
        ] {
            if spec[name].as_i64().is_some_and(|value| value < 0) {
                let detail = "must be greater than or equal to 0";
                causes.push(Cause::invalid(
                    format!("{path}.{name}"),
                    &spec[name],
                    detail,
                ));
            }
        }
        if kind == "CronJob" {
            check_cron(&object["spec"], &mut causes);
        }
        if let (Some(old), "Job") = (old, kind) {
            for name in ["completions", "selector", "template", "completionMode"] {
                if old["spec"].get(name) != spec.get(name) {
                    causes.push(Cause::invalid(
                        format!("spec.{name}"),
                        &spec[name],
                        "field is immutable",
                    ));
                }
            }
        }
        causes
    }

    fn selected(&self, object: &Value, field: &str) -> Option<Value> {
        (field == "status.successful").then(|| {
            object["status"]
                .get("succeeded")
                .cloned()
                .unwrap_or_else(|| json!(0))
        })
    }

    fn cell(&self, kind: &str, column: &str, object: &Value) -> Value {
        let (spec, status) = (&object["spec"], &object["status"]);
        let template = if kind == "Job" {
            &spec["template"]["spec"]
        } else {
            &spec["jobTemplate"]["spec"]["template"]["spec"]
        };
        match column {
            "Status" => {
                let holds = |name: &str| {
                    let conditions = status["conditions"].as_array().into_iter().flatten();
                    conditions
                        .into_iter()
                        .any(|c| c["type"] == name && c["status"] == "True")
                };
                let named = ["Complete", "Failed", "Suspended"]
                    .into_iter()
                    .find(|name| holds(name));
                json!(named.unwrap_or("Running"))
            }
            "Completions" => {
                let wanted = spec["completions"].as_i64().unwrap_or(1);
                json!(format!(
                    "{}/{wanted}",
                    status["succeeded"].as_i64().unwrap_or_default()
                ))
            }
            "Duration" => json!(""),
            "Suspend" => json!(if spec["suspend"] == true {
                "True"
            } else {
                "False"
            }),
            "TimeZone" => spec
                .get("timeZone")
                .cloned()
                .unwrap_or_else(|| json!("<none>")),
            "Active" => json!(status["active"].as_array().map_or(0, Vec::len)),
            "Last Schedule" => json!("<none>"),
            "Containers" => containers(template, "name"),
            "Images" => containers(template, "image"),
            "Selector" => selector_text(&spec["selector"]),
            _ => Value::Null,
        }
    }
}

fn fill_job(spec: &mut Value) {
    if spec.get("completions").is_none() && spec.get("parallelism").is_none() {
        set_default(spec, "completions", json!(1));
    }
    set_default(spec, "parallelism", json!(1));
    let limit = if spec.get("backoffLimitPerIndex").is_some() {
        i64::from(i32::MAX)
    } else {
        6
    };
    set_default(spec, "backoffLimit", json!(limit));
    set_default(spec, "completionMode", json!("NonIndexed"));
    set_default(spec, "suspend", json!(false));
    let replacement = if spec.get("podFailurePolicy").is_some() {
        "Failed"
    } else {
        "TerminatingOrFailed"
    };
    set_default(spec, "podReplacementPolicy", json!(replacement));
}

fn label_by_uid(job: &mut Value) {
    let uid = job["metadata"]["uid"].clone();
    let name = job["metadata"]["name"].clone();
    if !uid.is_string() {
        return;
    }
    let labels = &mut job["spec"]["template"]["metadata"]["labels"];
    for (key, value) in [
        ("batch.kubernetes.io/controller-uid", &uid),
        ("batch.kubernetes.io/job-name", &name),
        ("controller-uid", &uid),
        ("job-name", &name),
    ] {
        labels[key] = value.clone();
    }
    job["spec"]["selector"] =
        json!({ "matchLabels": { "batch.kubernetes.io/controller-uid": uid } });
}

fn check_cron(spec: &Value, causes: &mut Vec<Cause>) {
    let schedule = spec["schedule"].as_str().unwrap_or_default();
    if schedule.is_empty() {
        causes.push(Cause::required("spec.schedule", ""));
    } else if !schedule.starts_with('@') && schedule.split_whitespace().count() != 5 {
        let count = schedule.split_whitespace().count();
        let detail = format!("expected exactly 5 fields, found {count}: [{schedule}]");
        causes.push(Cause::invalid("spec.schedule", &spec["schedule"], detail));
    }
    let policies = ["Allow", "Forbid", "Replace"];
    if !policies.contains(&spec["concurrencyPolicy"].as_str().unwrap_or_default()) {
        causes.push(Cause::unsupported(
            "spec.concurrencyPolicy",
            &spec["concurrencyPolicy"],
            policies,
        ));
    }
}

const TEXT: &str = r#"
kind Job jobs categories=all status generation select=status.successful
| Name string .metadata.name
| Status string
| Completions string
| Duration string
| Age string age
| Containers string wide
| Images string wide
| Selector string wide
Job
  spec JobSpec!
  status JobStatus!
JobSpec
  parallelism int*
  completions int*
  activeDeadlineSeconds long*
  podFailurePolicy any
  successPolicy any
  backoffLimit int*
  backoffLimitPerIndex int*
  maxFailedIndexes int*
  selector LabelSelector
  manualSelector bool*
  template PodTemplateSpec!
  ttlSecondsAfterFinished int*
  completionMode str*
  suspend bool*
  podReplacementPolicy str*
  managedBy str*
JobStatus
  conditions [JobCondition] atomic merge=type
  startTime time
  completionTime time
  active int
  succeeded int
  failed int
  terminating int*
  completedIndexes str
  failedIndexes str*
  uncountedTerminatedPods UncountedTerminatedPods
  ready int*
UncountedTerminatedPods
  succeeded [str] set
  failed [str] set
JobCondition
  type str!
  status str!
  lastProbeTime time
  lastTransitionTime time
  reason str
  message str
kind CronJob cronjobs short=cj categories=all status generation
| Name string .metadata.name
| Schedule string .spec.schedule
| TimeZone string
| Suspend string
| Active integer
| Last_Schedule string
| Age string age
| Containers string wide
| Images string wide
| Selector string wide
CronJob
  spec CronJobSpec!
  status CronJobStatus!
CronJobSpec
  schedule str!
  timeZone str*
  startingDeadlineSeconds long*
  concurrencyPolicy str ="Allow"
  suspend bool* =false
  jobTemplate JobTemplateSpec!
  successfulJobsHistoryLimit int* =3
  failedJobsHistoryLimit int* =1
JobTemplateSpec
  metadata ObjectMeta!
  spec JobSpec!
CronJobStatus
  active [ObjectReference] atomic
  lastScheduleTime time
  lastSuccessfulTime time
"#;

//! Deployments, their pods, and what else is built in.

use super::*;

pub(crate) fn are_handled(kubectl: &Kubectl) {
    let says =
        |line: &str, input: &str, code, wanted: &[&str]| kubectl.says(line, input, code, wanted);
    says(
        "apply -f -",
        DEPLOYMENT,
        0,
        &["deployment.apps/web created"],
    );
    says(
        "rollout status deployment/web --timeout=20s",
        "",
        0,
        &["successfully rolled out"],
    );
    says("get deploy web", "", 0, &["web    2/2     2            2"]);
    says(
        "get deploy web -o wide",
        "",
        0,
        &["CONTAINERS   IMAGES   SELECTOR", "nginx    app=web"],
    );
    says(
        "scale deploy web --replicas=3",
        "",
        0,
        &["deployment.apps/web scaled"],
    );
    says(
        "patch deploy web -p {\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"env\":[{\"name\":\"A\",\"value\":\"1\"}]}]}}}}",
        "",
        0,
        &["patched"],
    );
    says("set image deploy/web c=nginx:2", "", 0, &["image updated"]);
    says("rollout restart deployment/web", "", 0, &["restarted"]);
    says(
        "rollout status deployment/web --timeout=20s",
        "",
        0,
        &["successfully rolled out"],
    );
    says(
        "wait --for=condition=Available deployment/web --timeout=20s",
        "",
        0,
        &["condition met"],
    );
    says(
        "describe deploy web",
        "",
        0,
        &[
            "3 desired | 3 updated | 3 total | 3 available",
            "nginx:2",
            "A:           1",
        ],
    );
    says(
        "expose deploy web --port=80",
        "",
        0,
        &["service/web exposed"],
    );
    says(
        "get all",
        "",
        0,
        &["service/web", "deployment.apps/web   3/3"],
    );
    says("run p --image=nginx", "", 0, &["pod/p created"]);
    says(
        "wait --for=condition=Ready pod/p --timeout=20s",
        "",
        0,
        &["condition met"],
    );
    says("logs p", "", 1, &["(NotImplemented)", "no subresource log"]);
    says(
        "delete -f - --wait=false",
        DEPLOYMENT,
        0,
        &["deployment.apps \"web\" deleted"],
    );
    says(
        "create configmap m --from-literal=a=b",
        "",
        0,
        &["configmap/m created"],
    );
    says("get cm m -o go-template={{.data.a}}", "", 0, &["b"]);
    says("create ns other", "", 0, &["namespace/other created"]);
    says(
        "delete ns other --timeout=20s",
        "",
        0,
        &["namespace \"other\" deleted"],
    );
    says("auth can-i delete pods --as=jane", "", 0, &["yes"]);
    says("auth whoami", "", 0, &["kubernetes-admin"]);
    says(
        "api-resources",
        "",
        0,
        &["deployments", "leases", "customresourcedefinitions"],
    );
    says(
        "explain deployment.spec.replicas",
        "",
        0,
        &["FIELD: replicas <integer>"],
    );
    says("version", "", 0, &["Server Version: v1.36.2"]);
}

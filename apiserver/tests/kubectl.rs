//! A transcript of kubectl (1.32) against the server over HTTP. Skipped, aloud, where there is no kubectl.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use opgen_apiserver::{Cluster, Served};

const DEFINITION: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.test.example.com }
spec:
  group: test.example.com
  scope: Namespaced
  names: { kind: Widget, plural: widgets, singular: widget, listKind: WidgetList, shortNames: [wd] }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {} }
    additionalPrinterColumns:
    - { name: Size, type: integer, jsonPath: .spec.size }
    - { name: Color, type: string, jsonPath: .spec.color, priority: 1 }
    schema:
      openAPIV3Schema:
        type: object
        description: Widget is a thing.
        properties:
          spec:
            type: object
            properties:
              size: { type: integer, minimum: 0, description: How big it is. }
              color: { type: string, default: red }
          status: { type: object, properties: { phase: { type: string } } }
";

fn widget(size: u32) -> String {
    format!(
        "apiVersion: test.example.com/v1\nkind: Widget\nmetadata: {{ name: a, labels: {{ app: x }} }}\nspec: {{ size: {size} }}\n"
    )
}

const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: c, image: nginx }] }
";

/// kubectl with a home of its own.
struct Kubectl {
    home: PathBuf,
    /// What was not as expected.
    faults: RefCell<Vec<String>>,
}

impl Kubectl {
    fn new(served: &Served) -> Self {
        let home = std::env::temp_dir().join(format!("opgen-kubectl-{}", std::process::id()));
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("kubeconfig"), served.kubeconfig()).unwrap();
        Self {
            home,
            faults: RefCell::default(),
        }
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new("kubectl");
        command
            .args(line.split(' '))
            .env("HOME", &self.home)
            .env("KUBECONFIG", self.home.join("kubeconfig"))
            .env_remove("KUBECTL_EXTERNAL_DIFF")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .stdin(Stdio::piped());
        command
    }

    /// Runs a command line with this input: exit code and all that was printed.
    fn run(&self, line: &str, input: &str) -> (i32, String) {
        let mut child = self.command(line).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let printed = [output.stdout, output.stderr].concat();
        (
            output.status.code().unwrap_or(-1),
            String::from_utf8_lossy(&printed).into_owned(),
        )
    }

    /// The command must end with this code and print all of these.
    fn says(&self, line: &str, input: &str, code: i32, wanted: &[&str]) {
        let (ended, printed) = self.run(line, input);
        let mut faults = self.faults.borrow_mut();
        if ended != code {
            faults.push(format!(
                "kubectl {line}: ended with {ended}, not {code}: {printed}"
            ));
        }
        for text in wanted.iter().filter(|text| !printed.contains(**text)) {
            faults.push(format!("kubectl {line}: {text:?} is not in {printed}"));
        }
    }
}

impl Drop for Kubectl {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

fn custom_resources(kubectl: &Kubectl) {
    let says =
        |line: &str, input: &str, code, wanted: &[&str]| kubectl.says(line, input, code, wanted);
    says(
        "create -f -",
        DEFINITION,
        0,
        &["customresourcedefinition.apiextensions.k8s.io/widgets.test.example.com created"],
    );
    says(
        "wait --for=condition=Established crd/widgets.test.example.com --timeout=10s",
        "",
        0,
        &["condition met"],
    );
    says(
        "create --save-config -f -",
        &widget(1),
        0,
        &["widget.test.example.com/a created"],
    );
    says(
        "create -f -",
        &widget(1),
        1,
        &[
            "(AlreadyExists)",
            "widgets.test.example.com \"a\" already exists",
        ],
    );
    says("get wd", "", 0, &["NAME   SIZE\na      1\n"]);
    says(
        "get wd a -o wide",
        "",
        0,
        &["NAME   SIZE   COLOR\na      1      red\n"],
    );
    says(
        "get wd a -o json",
        "",
        0,
        &["\"kind\": \"Widget\"", "\"size\": 1"],
    );
    says(
        "get wd a -o yaml",
        "",
        0,
        &["kind: Widget\n", "  color: red\n  size: 1\n"],
    );
    says("get wd a -o jsonpath={.spec.color}", "", 0, &["red"]);
    says(
        "get wd -l app=x -o custom-columns=N:.metadata.name,S:.spec.size",
        "",
        0,
        &["N     S\na     1\n"],
    );
    says(
        "get wd -l app=y",
        "",
        0,
        &["No resources found in default namespace."],
    );
    says(
        "get wd --field-selector metadata.name=a -o name",
        "",
        0,
        &["widget.test.example.com/a"],
    );
    says("diff -f -", &widget(1), 0, &[]);
    says(
        "diff -f -",
        &widget(2),
        1,
        &["-  size: 1", "+  size: 2", "-  generation: 1"],
    );
    says(
        "apply -f -",
        &widget(2),
        0,
        &["widget.test.example.com/a configured"],
    );
    says(
        "apply -f -",
        &widget(2),
        0,
        &["widget.test.example.com/a unchanged"],
    );
    says(
        "apply --dry-run=server -f -",
        &widget(3),
        0,
        &["configured (server dry run)"],
    );
    says(
        "apply --server-side -f -",
        &widget(2),
        0,
        &["widget.test.example.com/a serverside-applied"],
    );
    says(
        "apply --server-side --field-manager=other -f -",
        &widget(3),
        1,
        &["Apply failed with 1 conflict", ".spec.size"],
    );
    says(
        "apply --server-side --field-manager=other --force-conflicts -f -",
        &widget(3),
        0,
        &["serverside-applied"],
    );
    says(
        "patch wd a --type=merge -p {\"spec\":{\"size\":5}}",
        "",
        0,
        &["widget.test.example.com/a patched"],
    );
    says(
        "patch wd a --type=merge -p {\"spec\":{\"size\":5}}",
        "",
        0,
        &["patched (no change)"],
    );
    says(
        "patch wd a --type=json -p [{\"op\":\"replace\",\"path\":\"/spec/size\",\"value\":6}]",
        "",
        0,
        &["patched"],
    );
    says(
        "patch wd a --type=merge -p {\"spec\":{\"size\":-1}}",
        "",
        1,
        &[
            "is invalid: spec.size: Invalid value: -1",
            "greater than or equal to 0",
        ],
    );
    says(
        "patch wd a --type=strategic -p {\"spec\":{\"size\":1}}",
        "",
        1,
        &["application/strategic-merge-patch+json is not supported"],
    );
    says(
        "patch wd a --subresource=status --type=merge -p {\"status\":{\"phase\":\"Ready\"}}",
        "",
        0,
        &["patched"],
    );
    says(
        "wait --for=jsonpath={.status.phase}=Ready wd/a --timeout=10s",
        "",
        0,
        &["condition met"],
    );
    says("label wd a tier=front", "", 0, &["labeled"]);
    says("annotate wd a note=hi", "", 0, &["annotated"]);
    says(
        "describe wd a",
        "",
        0,
        &[
            "Name:         a\n",
            "tier=front",
            "note: hi",
            "Phase:  Ready",
        ],
    );
    says(
        "explain widget.spec",
        "",
        0,
        &["KIND:       Widget", "size\t<integer>", "How big it is."],
    );
    says(
        "explain widget",
        "",
        0,
        &[
            "Widget is a thing.",
            "APIVersion defines the versioned schema",
        ],
    );
    says(
        "api-resources --api-group=test.example.com",
        "",
        0,
        &["widgets   wd           test.example.com/v1   true         Widget"],
    );
    says(
        "auth can-i create widgets.test.example.com",
        "",
        0,
        &["yes"],
    );
    says(
        "create --validate=strict -f -",
        &format!(
            "{}  extra: 1\n",
            widget(1)
                .replace("{ size: 1 }", "\n  size: 1")
                .replace("name: a,", "name: b,")
        ),
        1,
        &["unknown field \"spec.extra\""],
    );
    says("replace -f -", &widget(7), 0, &["replaced"]);
    says(
        "delete wd a",
        "",
        0,
        &["widget.test.example.com \"a\" deleted"],
    );
    says(
        "get wd a",
        "",
        1,
        &["Error from server (NotFound): widgets.test.example.com \"a\" not found"],
    );
}

fn workloads(kubectl: &Kubectl) {
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

/// `get -w` prints what changes, as it changes.
fn watching(kubectl: &Kubectl) {
    let mut child = kubectl
        .command("get cm -w -o name --field-selector metadata.name=seen")
        .spawn()
        .unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    // kubectl lists first; the object comes later for sure, whichever of the two sees it.
    std::thread::sleep(Duration::from_millis(500));
    kubectl.says("create configmap seen", "", 0, &[]);
    kubectl.says("label cm seen x=y", "", 0, &[]);
    let lines: Vec<String> = stdout.lines().take(2).map(Result::unwrap).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(lines, ["configmap/seen", "configmap/seen"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_finds_what_it_expects() {
    let found = Command::new("kubectl")
        .args(["version", "--client"])
        .output();
    let Some(version) = found.ok().filter(|output| output.status.success()) else {
        let why = "there is no kubectl here, so its transcript was not compared";
        // Past the capture of the test harness.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
        return;
    };
    eprintln!("{}", String::from_utf8_lossy(&version.stdout).trim());
    let cluster = Cluster::builder().build();
    let _stand_in = cluster.stand_in(Duration::from_millis(200));
    let _collector = cluster.collect_in_background(Duration::from_millis(100));
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let served = cluster.serve(address).await.unwrap();
    let kubectl = Kubectl::new(&served);
    tokio::task::spawn_blocking(move || {
        custom_resources(&kubectl);
        workloads(&kubectl);
        watching(&kubectl);
        let faults = kubectl.faults.borrow();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    })
    .await
    .unwrap();
}

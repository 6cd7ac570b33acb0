//! A transcript of kubectl (1.32) against the server over HTTP. Skipped, aloud, where there is no kubectl.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod custom_resources;
mod workloads;

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
        custom_resources::are_handled(&kubectl);
        workloads::are_handled(&kubectl);
        watching(&kubectl);
        let faults = kubectl.faults.borrow();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    })
    .await
    .unwrap();
}

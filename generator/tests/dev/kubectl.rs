//! kubectl beside `dev`: the transcript of docs/kubectl.md, run and compared. `UPDATE=1` writes it anew.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use regex::Regex;

use crate::session::{LONG, SHORT, Session, project, turn};

const HEAD: &str = "\
# kubectl beside `cargo opgen dev`

`cargo opgen dev` runs in one terminal; this is the other one, in the folder of the project, with the `KUBECONFIG` that
was printed. Everything below was run and is run again by a test (`cargo test -p cargo-opgen --test dev`, which skips
it, aloud, where there is no kubectl); ages, times, uids and versions are made alike.
";

/// An object of a person's own.
const ORDERS: &str = "\
apiVersion: db.example.com/v1alpha1
kind: Database
metadata:
  name: orders
spec:
  size: 1
";

enum Step {
    /// What the reader should know.
    Words(&'static str),
    /// A command that is run in a shell, and the code it ends with.
    Run(&'static str, i32),
    /// A command that is repeated until it prints this; the last time counts.
    Until(&'static str, &'static str),
    /// A command that prints while another one changes something, until it has printed a line with this.
    Watch(&'static str, &'static str, &'static str),
}

use Step::{Run, Until, Watch, Words};

const STEPS: &[Step] = &[
    Words("The sample was applied at the start:"),
    Run("kubectl get databases", 0),
    Words("One of your own:"),
    Run("cat orders.yaml", 0),
    Run("kubectl apply -f orders.yaml", 0),
    Run(
        "kubectl wait --for=condition=Ready database/orders --timeout=60s",
        0,
    ),
    Run("kubectl apply -f orders.yaml", 0),
    Words("Server-side, as pipelines do it, with a conflict where two want the same field:"),
    Run("kubectl apply --server-side -f orders.yaml", 0),
    Run(
        "sed 's/size: 1/size: 5/' orders.yaml | kubectl apply --server-side --field-manager=other -f -",
        1,
    ),
    Words("The schema is enforced, and what it says is explained:"),
    Run(
        "kubectl patch database orders --type=merge -p '{\"spec\":{\"size\":\"big\"}}'",
        1,
    ),
    Run("kubectl explain database.spec", 0),
    Words("A change, and the phases it leads through:"),
    Watch(
        "kubectl get database orders -w",
        "kubectl patch database orders --type=merge -p '{\"spec\":{\"size\":2}}'",
        "Ready",
    ),
    Words("With an editor (`sed` is one):"),
    Run(
        "KUBE_EDITOR=\"sed -i 's/size: 2/size: 3/'\" kubectl edit database orders",
        0,
    ),
    Run(
        "kubectl wait --for=jsonpath='{.status.observedGeneration}'=3 database/orders --timeout=60s",
        0,
    ),
    Run(
        "kubectl wait --for=condition=Ready database/orders --timeout=60s",
        0,
    ),
    Words("A backup that is restored under a new uid, while what it stands for was kept outside:"),
    Run(
        "kubectl get database orders -o yaml | grep -v 'uid: [0-9a-f]\\|resourceVersion' > backup.yaml",
        0,
    ),
    Run(
        "kubectl annotate database orders opgen.dev/deletion-policy=retain",
        0,
    ),
    Run("kubectl delete database orders", 0),
    Run("kubectl create -f backup.yaml", 0),
    Run(
        "kubectl wait --for=condition=Ready database/orders --timeout=60s",
        0,
    ),
    Until("kubectl events --for database/orders", "IdentityAdopted"),
    Run("kubectl describe database orders", 0),
    Words("A paused object stays as it is until it is released:"),
    Run("kubectl annotate database orders opgen.dev/paused=true", 0),
    Run("kubectl annotate database orders opgen.dev/paused-", 0),
    Words("Deletion waits for the proof that the outside is gone:"),
    Run(
        "kubectl get database orders -o jsonpath='{.metadata.finalizers}'",
        0,
    ),
    Run("kubectl delete database orders --wait --timeout=60s", 0),
    Run("kubectl get database orders", 1),
];

struct Shell {
    folder: PathBuf,
    kubeconfig: PathBuf,
}

impl Shell {
    fn command(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        // In a shell of its own group nothing is asked, and both outputs come in order.
        command
            .args(["-c", &format!("exec 2>&1; {line}")])
            .current_dir(&self.folder)
            .env("KUBECONFIG", &self.kubeconfig)
            .env("HOME", self.folder.join("target"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        command
    }

    fn run(&self, line: &str, code: i32) -> String {
        let output = self.command(line).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code), "{line}:\n{said}");
        said
    }

    fn until(&self, line: &str, part: &str) -> String {
        for _ in 0..100 {
            let said = self.run(line, 0);
            if said.contains(part) {
                return said;
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        panic!("{line} does not print {part:?}:\n{}", self.run(line, 0));
    }

    /// What the watch prints from its first line on until the wanted one comes after the change.
    fn watch(&self, line: &str, change: &str, wanted: &str) -> String {
        let mut child = self.command(&format!("exec {line}")).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok);
        // The heading and the object as it is: the watch has begun.
        let mut said: Vec<String> = lines.by_ref().take(2).collect();
        std::thread::sleep(Duration::from_millis(300));
        self.run(change, 0);
        let mut moved = false;
        for line in lines {
            let is_wanted = line.contains(wanted);
            moved |= !is_wanted;
            said.push(line);
            if moved && is_wanted {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        said.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// What differs from run to run, made alike; a line that then repeats the one before it is left out.
fn normalised(text: &str) -> String {
    let rules: Vec<(Regex, &str)> = [
        (
            r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z",
            "2026-01-01T00:00:00Z",
        ),
        (
            r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            "00000000-0000-0000-0000-000000000000",
        ),
        (r"(Resource Version: +)\d+", "${1}1"),
        (r"\b(\d+h)?(\d+m)?\d+s( \(x\d+ over \d+s\))?( +)", "5s    "),
        (r"\b(\d+h)?(\d+m)?\d+s\b", "5s"),
        (r"sim-\d+|\b[0-9a-f]{16,64}\b", "0123456789abcdef"),
        (r" +\n", "\n"),
    ]
    .into_iter()
    .map(|(pattern, with)| (Regex::new(pattern).unwrap(), with))
    .collect();
    let text = rules.iter().fold(text.to_owned(), |text, (rule, with)| {
        rule.replace_all(&text, *with).into_owned()
    });
    let mut lines: Vec<&str> = text.lines().collect();
    lines.dedup();
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn transcript(shell: &Shell) -> String {
    let mut page = HEAD.to_owned();
    let mut open = false;
    for step in STEPS {
        if let Words(words) = step {
            page.push_str(if open { "```\n" } else { "" });
            page.push_str(&format!("\n{words}\n\n```console\n"));
            open = true;
            continue;
        }
        let (line, said) = match step {
            Run(line, code) => ((*line).to_owned(), shell.run(line, *code)),
            Until(line, part) => ((*line).to_owned(), shell.until(line, part)),
            Watch(line, change, wanted) => (
                format!("{line} &\n$ {change}"),
                shell.watch(line, change, wanted),
            ),
            Words(_) => continue,
        };
        page.push_str(&format!("$ {line}\n{}", normalised(&said)));
        if !page.ends_with('\n') {
            page.push('\n');
        }
    }
    page + "```\n"
}

#[test]
fn kubectl_finds_its_way() {
    let found = Command::new("kubectl")
        .args(["version", "--client"])
        .output();
    if !found.is_ok_and(|output| output.status.success()) {
        let why = "there is no kubectl here, so docs/kubectl.md was not compared";
        // Past the capture of the test harness.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
        return;
    }
    let _turn = turn();
    let project = project("kubectl-operator");
    fs::write(project.join("orders.yaml"), ORDERS).unwrap();
    let dev = Session::start(&project, &["--offline"]);
    let kubeconfig = dev.kubeconfig();
    dev.operator(0);
    dev.waits_for("Ready=True", 0, LONG);
    fs::create_dir_all(project.join("target")).unwrap();
    let shell = Shell {
        folder: project,
        kubeconfig,
    };
    let page = transcript(&shell);
    dev.waits_for("Database default/orders  gone", 0, SHORT);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/kubectl.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, page).unwrap();
        return;
    }
    let written = fs::read_to_string(&path).unwrap();
    // As it is: a comparison that takes backslashes for path separators would differ by itself.
    assert!(page == written, "docs/kubectl.md differs from:\n{page}");
}

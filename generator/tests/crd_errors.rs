//! Files that no operator can be made from: each says what, where and how to mend it.
#![allow(clippy::unwrap_used)]

use cargo_opgen::crd::{Additions, Choice, CrdFile};

const GOOD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
spec:
  group: example.com
  names:
    kind: Thing
    plural: things
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          status:
            type: object
";

fn with(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    GOOD.replace(from, to)
}

fn message(text: &str, choice: Choice<'_>) -> String {
    match CrdFile::choose(text, "f.yaml", choice).and_then(|crd| Additions::for_crd(&crd)) {
        Ok(_) => "fine".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn each_bad_file_has_its_message() {
    let two = format!(
        "{GOOD}---\n{}",
        GOOD.replace("Thing", "Other").replace("things", "others")
    );
    let cases: Vec<(String, &str)> = vec![
        (GOOD.to_owned(), "fine"),
        (
            String::new(),
            "f.yaml: holds no document; give a file with a CustomResourceDefinition",
        ),
        (
            "a: [1\nb: 2\n".to_owned(),
            "f.yaml:2: not readable as YAML: ",
        ),
        (
            with("spec:\n", "spec: {{ .Values.x }}\nspec:\n"),
            "render it first (`helm template`)",
        ),
        (
            "apiVersion: v1\nkind: Pod\n".to_owned(),
            "f.yaml: no CustomResourceDefinition here, only Pod; ",
        ),
        (
            "just text\n".to_owned(),
            "f.yaml: no CustomResourceDefinition here, only something without a kind; ",
        ),
        (
            with("k8s.io/v1", "k8s.io/v1beta1"),
            "f.yaml:1: a CustomResourceDefinition of `apiextensions.k8s.io/v1beta1`, which Kubernetes 1.22 removed (at /apiVersion); write it as",
        ),
        (
            "apiVersion: v1\nkind: List\nitems: []\n".to_owned(),
            "f.yaml:1: a List, not a CustomResourceDefinition; give the items",
        ),
        (
            two.clone(),
            "f.yaml: holds 2 CustomResourceDefinitions; choose one with --kind: Thing, Other",
        ),
        (
            with("  group: example.com\n", ""),
            "f.yaml:5: a field is missing (at /spec/group); add it",
        ),
        (
            with("    plural: things\n", "    plural: 7\n"),
            "f.yaml:9: not a text, or an empty one (at /spec/names/plural)",
        ),
        (
            with("Namespaced", "Global"),
            "f.yaml:10: scope `Global` does not exist (at /spec/scope); write `Namespaced` or `Cluster`",
        ),
        (
            with("served: true", "served: false"),
            "f.yaml:13: version `v1` is not served, so nothing could watch it (at /spec/versions/0/served); serve one",
        ),
        (
            with("storage: true", "storage: false"),
            "f.yaml:11: no version has `storage: true` (at /spec/versions); mark the stored one",
        ),
        (
            with(
                "      openAPIV3Schema:\n        type: object\n        properties:\n          status:\n            type: object\n",
                "      {}\n",
            ),
            "f.yaml:15: the version has no structural schema (at /spec/versions/0/schema/openAPIV3Schema); add",
        ),
        (
            with(
                "        type: object\n        properties",
                "        properties",
            ),
            "the schema's root is not `type: object`",
        ),
        (
            with("            type: object\n", "            $ref: x\n"),
            "f.yaml:20: `$ref` in a structural schema (at /spec/versions/0/schema/openAPIV3Schema/properties/status/$ref)",
        ),
        (
            with("            type: object\n", "            type: string\n"),
            "f.yaml:19: the status is not an object, so a machine cannot live in it",
        ),
        (
            with(
                "            type: object\n",
                "            type: object\n            properties: {phase: {type: integer}, opgenPhase: {type: integer}}\n",
            ),
            "`opgenPhase` is taken by something else",
        ),
    ];
    for (text, expected) in cases {
        let found = message(&text, Choice::default());
        assert!(
            found.contains(expected),
            "expected {expected:?}, found {found:?} for\n{text}"
        );
    }
    let choose = |kind, version| message(&two, Choice { kind, version });
    assert_eq!(choose(Some("Other"), None), "fine");
    assert_eq!(
        choose(Some("Nope"), None),
        "f.yaml: no CustomResourceDefinition of kind `Nope`; choose one of: Thing, Other"
    );
    assert!(choose(Some("Other"), Some("v9")).starts_with(
        "f.yaml:32: no version `v9` (at /spec/versions); choose one that is served: v1"
    ));
}

#[test]
fn text_that_cannot_be_added_to_is_written_anew() {
    let flow = with(
        "          status:\n            type: object\n",
        "          status: {type: object, properties: {a: {type: string}}}\n",
    );
    let additions = Additions::for_crd(&CrdFile::parse(&flow, "f.yaml").unwrap()).unwrap();
    assert!(!additions.keeps_text());
    let again = CrdFile::parse(additions.yaml(), "again").unwrap();
    assert_eq!(again.value(), additions.value());
}

#[test]
fn text_keeps_its_line_ends_and_its_neighbours() {
    let crlf = format!("# licence\r\n---\r\n{}", GOOD.replace('\n', "\r\n"));
    let both = format!("{crlf}---\r\nkind: Pod\r\napiVersion: v1\r\n");
    let additions = Additions::for_crd(&CrdFile::parse(&both, "f.yaml").unwrap()).unwrap();
    assert!(additions.keeps_text());
    assert!(
        additions
            .yaml()
            .starts_with("# licence\r\n---\r\napiVersion")
    );
    assert!(
        !additions.yaml().contains("Pod"),
        "the other document is not part of the CRD"
    );
    assert!(!additions.yaml().replace("\r\n", "").contains('\n'));
}

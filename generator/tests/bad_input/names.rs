//! Names and other values that do not fit, as flags.

use crate::place::{Place, refused};

#[test]
fn names() {
    let place = Place::new();
    let long = "x".repeat(64);
    let cases: &[(&[&str], &[&str])] = &[
        (
            &["new", "1st"],
            &["does not begin with a letter", "NAME", "help"],
        ),
        (&["new", "a b"], &["` ` is not a letter"]),
        (
            &["new", "My-Operator"],
            &["`M` is a capital letter", "my-operator"],
        ),
        (&["new", "a."], &["`.` is not a letter"]),
        (&["new", "ends-"], &["does not end with a letter"]),
        (&["new", &long], &["64 characters"]),
        (&["new", "async"], &["keyword", "async-operator"]),
        (&["new", "test"], &["keeps that name", "test-operator"]),
        (&["new", "nul"], &["device"]),
        (&["new", "kube"], &["depends on a crate of that name"]),
        (
            &["new", "k8s_openapi"],
            &["depends on a crate of that name"],
        ),
        (&["new", "/", "--force", "--dry-run"], &["no last part"]),
        (
            &["new", "x", "--kind", "database"],
            &["is not a kind", "--kind", "try `Database`"],
        ),
        (
            &["new", "x", "--kind", "Data-Base"],
            &["is not a kind", "try `DataBase`"],
        ),
        (
            &["new", "x", "--kind", ""],
            &["is not a kind", "try `Database`"],
        ),
        (&["new", "x", "--kind", "Größe"], &["is not a kind"]),
        (
            &["new", "x", "--kind", "Context"],
            &["would hide a type", "MyContext"],
        ),
        (&["new", "x", "--kind", "Result"], &["would hide a type"]),
        (&["new", "x", "--kind", "Status"], &["would hide a type"]),
        (&["new", "x", "--kind", "Self"], &["keyword"]),
        (
            &["new", "context-operator"],
            &["would hide a type", "the default of --kind"],
        ),
        (&["new", "x", "--group", "db"], &["no dot", "--group"]),
        (
            &["new", "x", "--group", "DB.example.com"],
            &["`D` is not a lowercase letter"],
        ),
        (&["new", "x", "--group", "a..b"], &["a part of it is empty"]),
        (&["new", "x", "--group=-a.b"], &["begins or ends with `-`"]),
        (
            &["new", "x", "--group", "x.k8s.io"],
            &["keeps for Kubernetes"],
        ),
        (
            &["new", "x", "--version", "1"],
            &["begins with a digit", "--version"],
        ),
        (&["new", "x", "--version", "V1"], &["is not an API version"]),
        (
            &["new", "x", "--plural", "Databases"],
            &["is not a resource name", "--plural"],
        ),
        (
            &["new", "x", "--short", "db,PO"],
            &["is not a short name", "--short"],
        ),
        (
            &["new", "x", "--short", "po"],
            &["belongs to a resource of Kubernetes"],
        ),
        (
            &["new", "x", "--scope", "galaxy"],
            &["is not a scope", "`namespaced` or `cluster`"],
        ),
        (
            &["new", "x", "--external", "ftp"],
            &["`http`, `custom` or `none`"],
        ),
        (
            &["new", "x", "--k8s-version", "1.12"],
            &["no types for", "1.33 to 1.37"],
        ),
        (
            &["new", "x", "--phases", "A>B"],
            &["which is no phase", "--phases"],
        ),
        (&["new", "x", "--phases", ""], &["is not a phase"]),
        (
            &["new", "x", "--kind", "Db", "--phases", "Db>R,R:steady"],
            &["share its name with a type"],
        ),
        (
            &["new", "x", "--opgen-path", "nowhere"],
            &["cannot be opened", "--opgen-path"],
        ),
        (&["new", "x", "--opgen-path", "."], &["is not a checkout"]),
        (
            &["new", "x", "--config", "nowhere.toml"],
            &["nowhere.toml", "no such file"],
        ),
        (
            &["new", "x", "--from-crd", "nowhere.yaml"],
            &["nowhere.yaml", "no such file"],
        ),
    ];
    for (arguments, parts) in cases {
        let mut arguments = arguments.to_vec();
        arguments.push("-y");
        refused(&place, &arguments, 2, parts);
    }
}

#[test]
fn flags() {
    let place = Place::new();
    refused(
        &place,
        &["new", "x", "--knid", "Database"],
        2,
        &["--knid", "--kind"],
    );
    refused(&place, &["demoo"], 2, &["demoo", "demo"]);
    refused(&place, &["new"], 2, &["NAME"]);
    refused(&place, &[], 2, &["Usage"]);
    refused(
        &place,
        &["new", "x", "--published", "--vendor"],
        2,
        &["cannot be used with"],
    );
    refused(
        &place,
        &["new", "x", "--from-crd", "f.yaml", "--group", "X"],
        2,
        &["cannot be used with"],
    );
}

#[test]
fn every_problem_is_reported_at_once() {
    let place = Place::new();
    refused(
        &place,
        &[
            "new",
            "1x",
            "--kind",
            "x",
            "--group",
            "y",
            "--version",
            "1",
            "-y",
        ],
        2,
        &["--kind", "--group", "--version", "NAME"],
    );
}

#[test]
fn related_kinds() {
    let place = Place::new();
    let cases: &[(&[&str], &[&str])] = &[
        (
            &["new", "x", "--owns", "ClusterRole"],
            &["cluster-scoped", "--owns", "--scope cluster"],
        ),
        (
            &["new", "x", "--owns", "x.io/v1/Big:cluster"],
            &["`Big`, which is cluster-scoped"],
        ),
        (
            &["new", "x", "--owns", "apps/v1/Deploymnt"],
            &["no kind that opgen knows", "use one of", "StatefulSet"],
        ),
        (
            &["new", "x", "--owns", "deployment"],
            &["no kind that opgen knows", "write `apps/v1/Deployment`"],
        ),
        (
            &["new", "x", "--owns", "a/b/c/d"],
            &["is not a kind", "group/version/Kind"],
        ),
        (
            &["new", "x", "--owns", "Node"],
            &["no template", "--watches v1/Node"],
        ),
        (
            &[
                "new",
                "x",
                "--owns",
                "Service,serving.knative.dev/v1/Service",
            ],
            &["would share the type name `Service`"],
        ),
        (
            &["new", "x", "--kind", "Deployment", "--owns", "Deployment"],
            &["share its name with a type of kind `Deployment`"],
        ),
        (
            &["new", "x", "--watches", "x.io/v1/Fish:big"],
            &["not a mark of a kind", "plural=NAME"],
        ),
    ];
    for (arguments, parts) in cases {
        refused(&place, &[arguments, &["-y"][..]].concat(), 2, parts);
    }
    place.write(
        "two.toml",
        "[[kind]]\nkind = \"A\"\n[[kind]]\nkind = \"B\"\n",
    );
    refused(
        &place,
        &[
            "new", "x", "--config", "two.toml", "--owns", "Service", "-y",
        ],
        2,
        &["`--owns` is about one kind", "[[kind]]"],
    );
}

//! A definition and its objects.

use super::*;

pub(crate) fn are_handled(kubectl: &Kubectl) {
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

//! Files that are read: settings and definitions.

use crate::place::{Place, refused};

#[test]
fn settings() {
    let cases: &[(&str, &[&str])] = &[
        ("name = \"x\nkind = 1\n", &["opgen.toml:1", "not TOML"]),
        (
            "nmae = \"x\"\n",
            &["opgen.toml:1:1", "unknown field `nmae`"],
        ),
        ("name = 7\n", &["opgen.toml:1", "invalid type"]),
        (
            "schema = 99\n",
            &["opgen.toml:1", "layout 99", "newer cargo-opgen"],
        ),
        (
            "[[kind]]\nkind = \"A\"\n[[kind]]\nkind = \"A\"\n",
            &["opgen.toml:4:8", "kind `A` is there twice"],
        ),
        (
            "[[kind]]\nkind = \"A\"\n[[kind]]\nkind = \"ASpec\"\n",
            &["opgen.toml:4:8", "would share the type `ASpec`"],
        ),
        (
            "[[kind]]\nkind = \"HttpRoute\"\n[[kind]]\nkind = \"HTTPRoute\"\n",
            &["opgen.toml:4:8", "would share the module `http_route`"],
        ),
        (
            "[[kind]]\nkind = \"A\"\nplural = \"xs\"\n[[kind]]\nkind = \"B\"\nplural = \"xs\"\n",
            &[
                "opgen.toml:5:8",
                "would share the resource `xs.x.example.com`",
            ],
        ),
        (
            "[[kind]]\nkind = \"A\"\nshort = [\"z\"]\n[[kind]]\nkind = \"B\"\nshort = [\"z\"]\n",
            &["opgen.toml:5:8", "would share the short name `z`"],
        ),
        (
            "[[kind]]\nowns = [\"Service\", \"Deploymnt\"]\n",
            &["opgen.toml:2:20", "no kind that opgen knows", "Deployment"],
        ),
        (
            "[[kind]]\nwatches = [\"v1/Secret\", \"Secret\"]\n",
            &["opgen.toml:2:25", "named twice"],
        ),
        (
            "[[kind]]\n\nkind = \"database\"\n",
            &["opgen.toml:3:8", "kind.kind", "try `Database`"],
        ),
        (
            "[[kind]]\nshort = [\"db\", \"svc\"]\n",
            &["opgen.toml:2:16", "`svc` belongs"],
        ),
        (
            "[[kind]]\nphases = [\n  \"A>B\",\n  \"B:steady>C\",\n]\n",
            &["opgen.toml:4:3", "leads to `C`"],
        ),
        ("[[kind]]\ngroup = \"db\"\n", &["opgen.toml:2:9", "no dot"]),
        (
            "k8s-version = \"2.0\"\n",
            &["opgen.toml:1:15", "no types for"],
        ),
        (
            "[opgen]\nsource = \"path\"\npath = \"/nowhere\"\n",
            &["opgen.toml:3:8", "cannot be opened"],
        ),
    ];
    for (text, parts) in cases {
        let place = Place::new();
        place.write("opgen.toml", text);
        refused(
            &place,
            &["new", "x", "--config", "opgen.toml", "-y"],
            2,
            parts,
        );
        let place = Place::new();
        place.write("x/opgen.toml", text);
        refused(&place, &["new", "x", "-y"], 2, parts);
    }
    let place = Place::new();
    place.write("opgen.toml", b"name = \"\xff\"\n");
    refused(
        &place,
        &["new", "x", "--config", "opgen.toml", "-y"],
        2,
        &["not UTF-8 from byte 8"],
    );
    refused(
        &place,
        &["new", "x", "--config", ".", "-y"],
        2,
        &["directory"],
    );
}

#[test]
fn documents_that_are_no_crd() {
    let cases: &[(&str, &[&str])] = &[
        ("a: [1\n", &["f.yaml"]),
        (
            "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: x\n",
            &["f.yaml", "CustomResourceDefinition"],
        ),
        ("", &["f.yaml"]),
        ("- 1\n- 2\n", &["f.yaml"]),
    ];
    for (text, parts) in cases {
        let place = Place::new();
        place.write("f.yaml", text);
        refused(
            &place,
            &["new", "x", "--from-crd", "f.yaml", "-y"],
            2,
            parts,
        );
    }
    let place = Place::new();
    place.write("f.yaml", b"\xff\xfe\x00");
    refused(
        &place,
        &["new", "x", "--from-crd", "f.yaml", "-y"],
        2,
        &["not UTF-8"],
    );
}

//! The fields of the kinds that are read: number, name and form.

use super::{Field, Kind};

const OWNER: &[Field] = &[
    (1, "kind", Kind::Text),
    (3, "name", Kind::Text),
    (4, "uid", Kind::Text),
    (5, "apiVersion", Kind::Text),
    (6, "controller", Kind::Flag),
    (7, "blockOwnerDeletion", Kind::Flag),
];

const METADATA: &[Field] = &[
    (1, "name", Kind::Text),
    (2, "generateName", Kind::Text),
    (3, "namespace", Kind::Text),
    (4, "selfLink", Kind::Text),
    (5, "uid", Kind::Text),
    (6, "resourceVersion", Kind::Text),
    (7, "generation", Kind::Number),
    (8, "creationTimestamp", Kind::Time),
    (9, "deletionTimestamp", Kind::Time),
    (10, "deletionGracePeriodSeconds", Kind::Number),
    (11, "labels", Kind::TextMap),
    (12, "annotations", Kind::TextMap),
    (13, "ownerReferences", Kind::Messages(OWNER)),
    (14, "finalizers", Kind::Texts),
];

const CONFIG_MAP: &[Field] = &[
    (1, "metadata", Kind::Message(METADATA)),
    (2, "data", Kind::TextMap),
    (3, "binaryData", Kind::BytesMap),
    (4, "immutable", Kind::Flag),
];

const SECRET: &[Field] = &[
    (1, "metadata", Kind::Message(METADATA)),
    (2, "data", Kind::BytesMap),
    (3, "type", Kind::Text),
    (4, "stringData", Kind::TextMap),
    (5, "immutable", Kind::Flag),
];

const NAMESPACE: &[Field] = &[
    (1, "metadata", Kind::Message(METADATA)),
    (2, "spec", Kind::Message(&[(1, "finalizers", Kind::Texts)])),
    (3, "status", Kind::Message(&[(1, "phase", Kind::Text)])),
];

const SERVICE_ACCOUNT: &[Field] = &[
    (1, "metadata", Kind::Message(METADATA)),
    (4, "automountServiceAccountToken", Kind::Flag),
];

const RULE: &[Field] = &[
    (1, "verbs", Kind::Texts),
    (2, "apiGroups", Kind::Texts),
    (3, "resources", Kind::Texts),
    (4, "resourceNames", Kind::Texts),
    (5, "nonResourceURLs", Kind::Texts),
];

const ROLE: &[Field] = &[
    (1, "metadata", Kind::Message(METADATA)),
    (2, "rules", Kind::Messages(RULE)),
];

const SUBJECT: &[Field] = &[
    (1, "kind", Kind::Text),
    (2, "apiGroup", Kind::Text),
    (3, "name", Kind::Text),
    (4, "namespace", Kind::Text),
];

const ROLE_REF: &[Field] = &[
    (1, "apiGroup", Kind::Text),
    (2, "kind", Kind::Text),
    (3, "name", Kind::Text),
];

const BINDING: &[Field] = &[
    (1, "metadata", Kind::Message(METADATA)),
    (2, "subjects", Kind::Messages(SUBJECT)),
    (3, "roleRef", Kind::Message(ROLE_REF)),
];

const RESOURCE_ATTRIBUTES: &[Field] = &[
    (1, "namespace", Kind::Text),
    (2, "verb", Kind::Text),
    (3, "group", Kind::Text),
    (4, "version", Kind::Text),
    (5, "resource", Kind::Text),
    (6, "subresource", Kind::Text),
    (7, "name", Kind::Text),
];

const NON_RESOURCE_ATTRIBUTES: &[Field] = &[(1, "path", Kind::Text), (2, "verb", Kind::Text)];

const SELF_ACCESS_REVIEW: &[Field] = &[
    (1, "metadata", Kind::Message(METADATA)),
    (
        2,
        "spec",
        Kind::Message(&[
            (1, "resourceAttributes", Kind::Message(RESOURCE_ATTRIBUTES)),
            (
                2,
                "nonResourceAttributes",
                Kind::Message(NON_RESOURCE_ATTRIBUTES),
            ),
        ]),
    ),
    (3, "status", Kind::Message(&[(1, "allowed", Kind::Flag)])),
];

const SELF_RULES_REVIEW: &[Field] = &[
    (1, "metadata", Kind::Message(METADATA)),
    (2, "spec", Kind::Message(&[(1, "namespace", Kind::Text)])),
];

const SELF_REVIEW: &[Field] = &[(1, "metadata", Kind::Message(METADATA))];

const LEASE: &[Field] = &[
    (1, "metadata", Kind::Message(METADATA)),
    (
        2,
        "spec",
        Kind::Message(&[
            (1, "holderIdentity", Kind::Text),
            (2, "leaseDurationSeconds", Kind::Number),
            (3, "acquireTime", Kind::Time),
            (4, "renewTime", Kind::Time),
            (5, "leaseTransitions", Kind::Number),
        ]),
    ),
];

const DELETE_OPTIONS: &[Field] = &[
    (1, "gracePeriodSeconds", Kind::Number),
    (
        2,
        "preconditions",
        Kind::Message(&[(1, "uid", Kind::Text), (2, "resourceVersion", Kind::Text)]),
    ),
    (3, "orphanDependents", Kind::Flag),
    (4, "propagationPolicy", Kind::Text),
    (5, "dryRun", Kind::Texts),
];

pub(super) fn table(kind: &str) -> Option<&'static [Field]> {
    Some(match kind {
        "ConfigMap" => CONFIG_MAP,
        "Secret" => SECRET,
        "Namespace" => NAMESPACE,
        "ServiceAccount" => SERVICE_ACCOUNT,
        "Role" | "ClusterRole" => ROLE,
        "RoleBinding" | "ClusterRoleBinding" => BINDING,
        "SelfSubjectAccessReview" => SELF_ACCESS_REVIEW,
        "SelfSubjectRulesReview" => SELF_RULES_REVIEW,
        "SelfSubjectReview" => SELF_REVIEW,
        "Lease" => LEASE,
        "DeleteOptions" => DELETE_OPTIONS,
        _ => return None,
    })
}

//! Types that many groups use: `metadata`, selectors, conditions.

use super::Group;

pub(super) struct Meta;

impl Group for Meta {
    fn name(&self) -> (&'static str, &'static str) {
        ("meta.k8s.io", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }
}

const TEXT: &str = "
ObjectMeta
  name str
  generateName str
  namespace str
  selfLink str
  uid str
  resourceVersion str
  generation long
  creationTimestamp time
  deletionTimestamp time
  deletionGracePeriodSeconds long*
  labels <str>
  annotations <str>
  ownerReferences [OwnerReference] key=uid merge=uid
  finalizers [str] set merge
  managedFields [ManagedFieldsEntry] atomic
OwnerReference atomic
  apiVersion str!
  kind str!
  name str!
  uid str!
  controller bool*
  blockOwnerDeletion bool*
ManagedFieldsEntry
  manager str
  operation str
  apiVersion str
  time time
  fieldsType str
  fieldsV1 any
  subresource str
LabelSelector atomic
  matchLabels <str>
  matchExpressions [LabelSelectorRequirement] atomic
LabelSelectorRequirement
  key str!
  operator str!
  values [str] atomic
Condition
  type str!
  status str!
  observedGeneration long
  lastTransitionTime time!
  reason str!
  message str!
ObjectReference atomic
  kind str
  namespace str
  name str
  uid str
  apiVersion str
  resourceVersion str
  fieldPath str
LocalObjectReference atomic
  name str
TypedLocalObjectReference atomic
  apiGroup str*
  kind str!
  name str!
TypedObjectReference
  apiGroup str*
  kind str!
  name str!
  namespace str*
SecretReference atomic
  name str
  namespace str
TopologySelectorTerm atomic
  matchLabelExpressions [TopologySelectorLabelRequirement] atomic
TopologySelectorLabelRequirement
  key str!
  values [str]! atomic
";

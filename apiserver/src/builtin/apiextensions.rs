//! CustomResourceDefinitions; what they mean is the business of [`crate::crd`].

use serde_json::Value;

use super::Group;
use crate::schema::Cause;

pub(super) struct Apiextensions;

impl Group for Apiextensions {
    fn name(&self) -> (&'static str, &'static str) {
        ("apiextensions.k8s.io", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn fill(&self, _kind: &str, object: &mut Value) {
        crate::crd::default(object);
    }

    fn prepare_create(&self, _kind: &str, object: &mut Value) {
        crate::crd::prepare_create(object);
    }

    fn prepare_update(&self, _kind: &str, object: &mut Value, old: &Value, subresource: &str) {
        crate::crd::prepare_update(object, old, subresource);
    }

    fn check(&self, _kind: &str, object: &Value, old: Option<&Value>) -> Vec<Cause> {
        crate::crd::validate(object, old)
    }

    fn cell(&self, _kind: &str, column: &str, object: &Value) -> Value {
        match column {
            "Created At" => object["metadata"]["creationTimestamp"].clone(),
            _ => Value::Null,
        }
    }
}

const TEXT: &str = r#"
kind CustomResourceDefinition customresourcedefinitions short=crd,crds categories=api-extensions cluster status generation
| Name string .metadata.name
| Created_At date
CustomResourceDefinition
  spec CustomResourceDefinitionSpec!
  status CustomResourceDefinitionStatus!
CustomResourceDefinitionSpec
  group str!
  names CustomResourceDefinitionNames!
  scope str!
  versions [CustomResourceDefinitionVersion]! atomic
  conversion CustomResourceConversion
  preserveUnknownFields bool
CustomResourceDefinitionNames
  plural str!
  singular str
  shortNames [str] atomic
  kind str!
  listKind str
  categories [str] atomic
CustomResourceDefinitionVersion
  name str!
  served bool!
  storage bool!
  deprecated bool
  deprecationWarning str*
  schema CustomResourceValidation
  subresources CustomResourceSubresources
  additionalPrinterColumns [CustomResourceColumnDefinition] atomic
  selectableFields [SelectableField] atomic
CustomResourceValidation
  openAPIV3Schema any
CustomResourceSubresources
  status any
  scale CustomResourceSubresourceScale
CustomResourceSubresourceScale
  specReplicasPath str!
  statusReplicasPath str!
  labelSelectorPath str*
CustomResourceColumnDefinition
  name str!
  type str!
  format str
  description str
  priority int
  jsonPath str!
SelectableField
  jsonPath str!
CustomResourceConversion
  strategy str!
  webhook WebhookConversion
WebhookConversion
  clientConfig WebhookClientConfig
  conversionReviewVersions [str]! atomic
WebhookClientConfig
  url str*
  service ServiceReference
  caBundle bytes
ServiceReference
  namespace str!
  name str!
  path str*
  port int* =443
CustomResourceDefinitionStatus
  conditions [CustomResourceDefinitionCondition]! key=type
  acceptedNames CustomResourceDefinitionNames!
  storedVersions [str]! atomic
  observedGeneration long
CustomResourceDefinitionCondition
  type str!
  status str!
  observedGeneration long
  lastTransitionTime time
  reason str
  message str
"#;

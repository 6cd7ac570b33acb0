//! Reviews: may somebody do something, who is somebody. They are created and never stored.

use super::Group;

pub(super) struct Authorization;

impl Group for Authorization {
    fn name(&self) -> (&'static str, &'static str) {
        ("authorization.k8s.io", "v1")
    }

    fn text(&self) -> &'static str {
        AUTHORIZATION
    }
}

pub(super) struct Authentication;

impl Group for Authentication {
    fn name(&self) -> (&'static str, &'static str) {
        ("authentication.k8s.io", "v1")
    }

    fn text(&self) -> &'static str {
        AUTHENTICATION
    }
}

const AUTHORIZATION: &str = r#"
kind SelfSubjectAccessReview selfsubjectaccessreviews cluster create-only
SelfSubjectAccessReview
  spec SelfSubjectAccessReviewSpec!
  status SubjectAccessReviewStatus!
SelfSubjectAccessReviewSpec
  resourceAttributes ResourceAttributes
  nonResourceAttributes NonResourceAttributes
ResourceAttributes
  namespace str
  verb str
  group str
  version str
  resource str
  subresource str
  name str
  fieldSelector any
  labelSelector any
NonResourceAttributes
  path str
  verb str
SubjectAccessReviewStatus
  allowed bool!
  denied bool
  reason str
  evaluationError str
kind SelfSubjectRulesReview selfsubjectrulesreviews cluster create-only
SelfSubjectRulesReview
  spec SelfSubjectRulesReviewSpec!
  status any
SelfSubjectRulesReviewSpec
  namespace str
kind SubjectAccessReview subjectaccessreviews cluster create-only
SubjectAccessReview
  spec SubjectAccessReviewSpec!
  status SubjectAccessReviewStatus!
SubjectAccessReviewSpec
  resourceAttributes ResourceAttributes
  nonResourceAttributes NonResourceAttributes
  user str
  groups [str] atomic
  extra <any>
  uid str
kind LocalSubjectAccessReview localsubjectaccessreviews create-only
LocalSubjectAccessReview
  spec SubjectAccessReviewSpec!
  status SubjectAccessReviewStatus!
"#;

const AUTHENTICATION: &str = r#"
kind TokenReview tokenreviews cluster create-only
TokenReview
  spec TokenReviewSpec!
  status TokenReviewStatus!
TokenReviewSpec
  token str
  audiences [str] atomic
TokenReviewStatus
  authenticated bool
  user UserInfo!
  audiences [str] atomic
  error str
UserInfo
  username str
  uid str
  groups [str] atomic
  extra <any>
kind SelfSubjectReview selfsubjectreviews cluster create-only
SelfSubjectReview
  status SelfSubjectReviewStatus!
SelfSubjectReviewStatus
  userInfo UserInfo!
"#;

//! From a request to its handler.

use std::sync::Arc;

use super::prepare::Part;
use crate::call::{Call, Handled};
use crate::cluster::Shared;
use crate::error::ApiError;
use crate::resource::Resource;

fn is_pod(resource: &Resource) -> bool {
    resource.kind == "Pod" && !resource.is_custom()
}

impl Shared {
    /// Handles an authorized request.
    pub(crate) fn handle(&self, call: &mut Call) -> Handled {
        if !call.info.is_resource {
            return self.document(call);
        }
        let registry = self.registry();
        let info = &call.info;
        let Some(resource) = registry
            .find(&info.group, &info.version, &info.resource)
            .cloned()
        else {
            let error = if registry.has_version(&info.group, &info.version)
                && registry
                    .resources(&info.group, &info.version)
                    .iter()
                    .any(|r| !r.is_custom())
            {
                ApiError::unknown_resource()
            } else {
                ApiError::page_not_found()
            };
            return Err(error.into());
        };
        // A namespaced resource has no items outside of a namespace.
        let misplaced = (resource.namespaced && info.namespace.is_empty() && !info.name.is_empty())
            || (!resource.namespaced
                && !info.namespace.is_empty()
                && resource.plural != "namespaces");
        if misplaced || !info.rest.is_empty() {
            return Err(if resource.is_custom() {
                ApiError::page_not_found()
            } else {
                ApiError::unknown_resource()
            }
            .into());
        }
        if resource.plural == "namespaces" {
            // The path of a namespace names it twice; the object has none.
            call.info.namespace.clear();
        }
        if let Some(warning) = &resource.deprecated {
            call.warn(warning.clone());
        }
        if call.info.subresource.is_empty() {
            self.main(call, &resource)
        } else {
            self.subresource(call, &resource)
        }
    }

    fn main(&self, call: &mut Call, resource: &Arc<Resource>) -> Handled {
        let is_review = matches!(
            resource.group.as_str(),
            "authorization.k8s.io" | "authentication.k8s.io"
        );
        if call.info.name.is_empty()
            && matches!(call.method.as_str(), "PUT" | "PATCH")
            && resource.is_custom()
        {
            return Err(ApiError::bad_request("name must be provided").into());
        }
        if !resource.can(&call.info.verb)
            || (call.info.name.is_empty() && matches!(call.method.as_str(), "PUT" | "PATCH"))
        {
            return Err(ApiError::method_not_allowed().into());
        }
        match call.info.verb.as_str() {
            "create" if is_review => self.review(call, resource),
            "create" => self.create(call, resource),
            "get" => self.get(call, resource),
            "list" => self.list(call, resource),
            "watch" => self.watch(call, resource),
            "update" => self.update(call, resource, Part::Main),
            "patch" => self.patch(call, resource, Part::Main),
            "delete" => self.delete(call, resource),
            "deletecollection" => self.delete_collection(call, resource),
            _ => Err(ApiError::method_not_allowed().into()),
        }
    }

    fn subresource(&self, call: &mut Call, resource: &Arc<Resource>) -> Handled {
        let part = match call.info.subresource.as_str() {
            "binding" if is_pod(resource) && call.method == "POST" => {
                return self.bind(call, resource);
            }
            "eviction" if is_pod(resource) && call.method == "POST" => {
                return self.evict(call, resource);
            }
            "status" if resource.status || resource.kind == "Namespace" => Part::Status,
            "scale" if resource.scale.is_some() => return self.scale(call, resource),
            "finalize" if resource.kind == "Namespace" && call.method == "PUT" => Part::Finalize,
            name => return Err(self.no_subresource(call, resource, name)),
        };
        match call.method.as_str() {
            "GET" | "HEAD" => self.get(call, resource),
            "PUT" => self.update(call, resource, part),
            "PATCH" => self.patch(call, resource, part),
            _ if resource.is_custom() => {
                Err(
                    ApiError::unsupported_verb(&call.info.verb, &resource.group, &resource.plural)
                        .into(),
                )
            }
            _ => Err(ApiError::method_not_allowed().into()),
        }
    }

    fn no_subresource(&self, call: &Call, resource: &Resource, name: &str) -> crate::call::Stop {
        if resource.is_custom() {
            return resource.not_found(&call.info.name).into();
        }
        let known = matches!(
            name,
            "binding"
                | "eviction"
                | "exec"
                | "attach"
                | "log"
                | "portforward"
                | "proxy"
                | "token"
                | "approval"
                | "ephemeralcontainers"
                | "resize"
        );
        if known {
            return ApiError::not_implemented(format!(
                "this server has no subresource {name} of {}: there is no kubelet or controller behind it",
                resource.plural
            ))
            .into();
        }
        ApiError::unknown_resource().into()
    }
}

//! The operator for `webs.web.example.com`.

pub mod api;
pub mod context;
pub mod controllers;

use opgen_runtime::Operator;

use crate::{
    context::Context,
    controllers::web::{self, WebPhase},
};

/// The operator's name: its field manager, its service account, its role.
pub const NAME: &str = "web-operator";

/// Every kind this operator drives. It needs no cluster until it runs, so tests run exactly this.
pub fn operator() -> Operator<Context> {
    Operator::new(NAME).kind_with::<WebPhase>(web::options)
}

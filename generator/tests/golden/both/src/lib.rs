//! The operator for `databases.db.example.com`.

pub mod api;
pub mod context;
pub mod controllers;

use opgen_runtime::Operator;

use crate::{
    context::Context,
    controllers::database::{self, DatabasePhase},
};

/// The operator's name: its field manager, its service account, its role.
pub const NAME: &str = "database-operator";

/// Every kind this operator drives. It needs no cluster until it runs, so tests run exactly this.
pub fn operator() -> Operator<Context> {
    Operator::new(NAME).kind_with::<DatabasePhase>(database::options)
}

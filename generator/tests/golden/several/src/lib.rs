//! The operator for `shops.shop.example.com` and `tills.shop.example.com` and `signs.shop.example.com`.

pub mod api;
pub mod context;
pub mod controllers;

use opgen_runtime::Operator;

use crate::{
    context::Context,
    controllers::{
        shop::{self, ShopPhase},
        sign::{self, SignPhase},
        till::TillPhase,
    },
};

/// The operator's name: its field manager, its service account, its role.
pub const NAME: &str = "shop-operator";

/// Every kind this operator drives. It needs no cluster until it runs, so tests run exactly this.
pub fn operator() -> Operator<Context> {
    Operator::new(NAME)
        .kind_with::<ShopPhase>(shop::options)
        .kind::<TillPhase>()
        .kind_with::<SignPhase>(sign::options)
}

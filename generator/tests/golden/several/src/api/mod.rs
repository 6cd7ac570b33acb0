//! The custom resources: what users write and what they read back.

mod shop;
mod sign;
mod till;

pub use shop::{Shop, ShopSpec, ShopStatus};
pub use sign::{Sign, SignSpec, SignStatus};
pub use till::{Till, TillSpec, TillStatus};

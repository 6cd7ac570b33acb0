//! The cryptography of this process.

use std::sync::Once;

/// rustls is built without a provider of its own choice. One that the binary installed first stays.
pub(crate) fn install_provider() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

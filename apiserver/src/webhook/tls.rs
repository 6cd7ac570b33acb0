//! TLS to webhooks: only what their `caBundle` vouches for is trusted.

use std::io;
use std::sync::Arc;

use base64::Engine;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// A secured connection to the server of that name.
pub(super) async fn wrap(
    stream: TcpStream,
    host: &str,
    bundle: &str,
) -> Result<TlsStream<TcpStream>, String> {
    let config = config(bundle)?;
    let name = ServerName::try_from(host.to_owned()).map_err(|error| error.to_string())?;
    let connector = TlsConnector::from(Arc::new(config));
    connector
        .connect(name, stream)
        .await
        .map_err(|error| explained(&error))
}

fn config(bundle: &str) -> Result<ClientConfig, String> {
    let trusted = certificates(bundle)
        .ok_or("unable to load root certificates: unable to parse bytes as PEM block")?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(trusted.iter().cloned());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let strict = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
        .build()
        .map_err(|error| format!("unable to load root certificates: {error}"))?;
    Ok(ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Verifier {
            strict,
            trusted,
            provider,
        }))
        .with_no_client_auth())
}

/// The certificates of a `caBundle`; `None` if there are none in it.
fn certificates(bundle: &str) -> Option<Vec<CertificateDer<'static>>> {
    let pem = base64::engine::general_purpose::STANDARD
        .decode(bundle)
        .ok()?;
    let found: Vec<_> = CertificateDer::pem_slice_iter(&pem)
        .filter_map(Result::ok)
        .collect();
    (!found.is_empty()).then_some(found)
}

/// The usual rules, but a certificate that is in the bundle itself may also be an authority: `openssl req -x509` makes
/// such ones, and the real server takes them.
#[derive(Debug)]
struct Verifier {
    strict: Arc<WebPkiServerVerifier>,
    trusted: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        stapled: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let refused = match self
            .strict
            .verify_server_cert(shown, chain, name, stapled, now)
        {
            Ok(verified) => return Ok(verified),
            Err(refused) => refused,
        };
        // The check for an authority comes after that of the dates.
        let is_authority = matches!(
            &refused,
            Error::InvalidCertificate(CertificateError::Other(other))
                if other.0.to_string() == "CaUsedAsEndEntity"
        );
        if !is_authority || !self.trusted.contains(shown) {
            return Err(refused);
        }
        let certificate = rustls::server::ParsedCertificate::try_from(shown)?;
        rustls::client::verify_server_name(&certificate, name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.strict.verify_tls12_signature(message, shown, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.strict.verify_tls13_signature(message, shown, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

/// A failed handshake, in the real server's words where they are known.
fn explained(error: &io::Error) -> String {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<Error>());
    match inner {
        Some(Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            "tls: failed to verify certificate: x509: certificate signed by unknown authority"
                .to_owned()
        }
        Some(Error::InvalidCertificate(why)) => {
            format!("tls: failed to verify certificate: x509: {why}")
        }
        Some(other) => format!("tls: {other}"),
        None => error.to_string(),
    }
}

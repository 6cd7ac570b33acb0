//! A server in a process of its own, reached by HTTPS as a real one is.
//!
//! kube's client speaks HTTP/1.1, so every request that is under way has a connection of its own, with a handshake when
//! it is new. Plain calls hide that: an operator without a limit pays for it.
//!
//! The server's process says on its standard output how it is reached, and later what it saw; the benchmark says `go`
//! on its standard input, and closes it at the end.

use std::{
    io::{BufRead, BufReader, Write},
    net::{Ipv4Addr, SocketAddr},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use kube::Config;
use rcgen::{CertificateParams, KeyPair};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{PrivateKeyDer, pem::PemObject},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::{
    case::{Case, PATIENCE, workers},
    cpu::{SERVER, Spent},
    link::Link,
    probe::{Probe, Requests},
    world::World,
};

/// The server's program.
pub(crate) const PROGRAM: &str = "opgen-bench-server";
/// Beyond one for each object: watches, files, pipes.
const SPARE_FILES: u64 = 500;

/// How the server is reached.
#[derive(Debug, Serialize, Deserialize)]
struct Hello {
    address: SocketAddr,
    /// DER.
    certificate: Vec<u8>,
    /// Objects whose provider calls never return.
    hung: usize,
}

/// What the server saw until the last object was Ready, or none was any more for a while.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) converged: bool,
    pub(crate) seconds: f64,
    /// From `go` until each object was Ready, shortest first.
    pub(crate) times: Vec<Duration>,
}

/// The account at the end.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Account {
    pub(crate) requests: Requests,
    pub(crate) server_seconds: f64,
}

/// The server's process, as the benchmark sees it. It ends with this.
#[derive(Debug)]
pub(crate) struct Remote {
    process: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    hello: Hello,
}

impl Remote {
    /// Starts one for a case, with all its objects in it.
    pub(crate) fn start(case: &Case) -> Result<Self, String> {
        let program = std::env::current_exe()
            .map_err(|error| format!("this program's path is unknown: {error}"))?
            .with_file_name(PROGRAM);
        let case_text = serde_json::to_string(case).map_err(|error| error.to_string())?;
        let mut process = Command::new(program)
            .arg(case_text)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| {
                format!("{PROGRAM} does not start, which `cargo build --release -p opgen-bench` builds beside this program: {error}")
            })?;
        let orders = process.stdin.take();
        let answers = process.stdout.take().ok_or("the server has no output")?;
        let mut answers = BufReader::new(answers);
        let hello = answer(&mut answers)?;
        enough_files(case.objects)?;
        Ok(Self {
            process,
            orders,
            answers,
            hello,
        })
    }

    /// Objects whose provider calls never return, if that is the trouble.
    pub(crate) fn hung(&self) -> usize {
        self.hello.hung
    }

    /// How a client reaches it.
    pub(crate) fn config(&self) -> Result<Config, String> {
        let url = format!("https://{}", self.hello.address);
        let url = url.parse().map_err(|error| format!("{url}: {error}"))?;
        let mut config = Config::new(url);
        config.root_cert = Some(vec![self.hello.certificate.clone()]);
        Ok(config)
    }

    /// The time starts now.
    pub(crate) fn go(&mut self) -> Result<(), String> {
        let orders = self.orders.as_mut().ok_or("the server was ended")?;
        writeln!(orders, "go").map_err(|error| format!("the server is gone: {error}"))
    }

    /// Waits until every object is Ready that can be, or none became so for a while.
    pub(crate) fn seen(&mut self) -> Result<Seen, String> {
        answer(&mut self.answers)
    }

    /// Ends it.
    pub(crate) fn end(mut self) -> Result<Account, String> {
        self.orders = None;
        answer(&mut self.answers)
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.orders = None;
        // It ends by itself once nobody can tell it anything; this is for one that hangs.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The next line, as JSON.
fn answer<T: DeserializeOwned>(answers: &mut impl BufRead) -> Result<T, String> {
    let mut line = String::new();
    let read = answers.read_line(&mut line);
    read.map_err(|error| format!("the server's output ended: {error}"))?;
    serde_json::from_str(&line).map_err(|error| format!("the server said {line:?}: {error}"))
}

/// The server's process: prints what the benchmark reads.
///
/// # Errors
/// If it cannot listen, or the objects are refused.
pub fn serve(case: &Case) -> Result<(), String> {
    enough_files(case.objects)?;
    let world = World::new(case.objects)?;
    let (certificate, acceptor) = tls().map_err(|error| format!("no TLS: {error}"))?;
    let server = workers(SERVER)?;
    let listener = server
        .block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))
        .map_err(|error| format!("cannot listen: {error}"))?;
    let address = listener
        .local_addr()
        .map_err(|error| format!("cannot listen: {error}"))?;
    let hung = case.hung(&world);
    say(&Hello {
        address,
        certificate,
        hung,
    })?;
    let mut orders = std::io::stdin().lines();
    if orders.next().is_none() {
        return Ok(());
    }
    let (spent, started) = (Spent::now(), Instant::now());
    let probe = Arc::new(Probe::new(case.objects, case.objects - hung));
    let link = Link::new(
        &world.cluster,
        server.handle().clone(),
        Arc::clone(&probe),
        case.weather(),
    );
    server.spawn(accept(listener, acceptor, link));
    let converged = server.block_on(probe.all_ready(PATIENCE));
    say(&Seen {
        converged,
        seconds: started.elapsed().as_secs_f64(),
        times: probe.times(),
    })?;
    let _ = orders.next();
    say(&Account {
        requests: probe.requests(),
        server_seconds: Spent::now().since(spent).server.as_secs_f64(),
    })
}

fn say(what: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string(what).map_err(|error| error.to_string())?;
    let mut output = std::io::stdout().lock();
    let said = writeln!(output, "{text}").and_then(|()| output.flush());
    said.map_err(|error| format!("the benchmark is gone: {error}"))
}

/// An open file for every request at the same time.
fn enough_files(objects: usize) -> Result<(), String> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let wanted = objects as u64 + SPARE_FILES;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= wanted) {
        return Ok(());
    }
    let raised = Rlimit {
        current: Some(wanted),
        maximum: limit.maximum.map(|maximum| maximum.max(wanted)),
    };
    setrlimit(Resource::Nofile, raised).map_err(|error| {
        format!("{objects} objects may need {wanted} open files (see ulimit -n -H): {error}")
    })
}

/// The server's certificate, and what answers handshakes with it.
fn tls() -> Result<(Vec<u8>, TlsAcceptor), Box<dyn std::error::Error>> {
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("server-key.pem"))?;
    let names = [Ipv4Addr::LOCALHOST.to_string()];
    let certificate =
        CertificateParams::new(names)?.self_signed(&KeyPair::try_from(key.secret_der())?)?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)?;
    Ok((
        certificate.der().to_vec(),
        TlsAcceptor::from(Arc::new(config)),
    ))
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, link: Link) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let (acceptor, link) = (acceptor.clone(), link.clone());
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            let Ok(stream) = acceptor.accept(stream).await else {
                return;
            };
            let service = service_fn(|request| link.clone().serve(request));
            // It ends when the client leaves.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

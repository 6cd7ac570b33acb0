//! A collector: it takes `POST /v1/traces`, or does not.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{KeyValue, any_value::Value},
    trace::v1::status::StatusCode,
};
use prost::Message;

#[derive(Clone, Copy, PartialEq)]
pub enum Manners {
    Answers,
    /// It takes the request and says nothing.
    Hangs,
}

pub struct Collector {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    sent: Arc<Mutex<Vec<Sent>>>,
}

/// A request.
#[derive(Clone, Debug)]
pub struct Sent {
    pub path: String,
    pub kind: String,
    pub service: String,
    body: ExportTraceServiceRequest,
}

#[derive(Clone, Debug)]
pub struct Span {
    pub name: String,
    pub failed: bool,
    /// What was said while it went on.
    pub events: Vec<String>,
    attributes: BTreeMap<String, String>,
}

impl Span {
    /// The names of its attributes.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.attributes.keys().map(String::as_str)
    }

    /// An attribute as text; empty if it has none of that name.
    pub fn text(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }
}

impl Collector {
    pub fn new(manners: Manners) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let collector = Self {
            address: listener.local_addr().unwrap(),
            connections: Arc::default(),
            sent: Arc::default(),
        };
        let (connections, sent) = (collector.connections.clone(), collector.sent.clone());
        thread::spawn(move || {
            for stream in listener.incoming() {
                connections.fetch_add(1, Ordering::Relaxed);
                let (stream, sent) = (stream.unwrap(), Arc::clone(&sent));
                thread::spawn(move || serve(stream, manners, &sent));
            }
        });
        collector
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    pub fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }
}

/// One connection, request after request.
fn serve(stream: TcpStream, manners: Manners, sent: &Mutex<Vec<Sent>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if line.trim().is_empty() {
                break;
            }
            head.push(line.trim().to_owned());
        }
        let header = |name: &str| {
            let line = head.iter().find(|line| {
                let (key, _) = line.split_once(':').unwrap_or_default();
                key.eq_ignore_ascii_case(name)
            });
            line.map_or(String::new(), |line| {
                line.split_once(':').unwrap().1.trim().to_owned()
            })
        };
        let mut body = vec![0; header("content-length").parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        if manners == Manners::Hangs {
            thread::park();
        }
        let path = head[0].trim_end_matches(" HTTP/1.1").to_owned();
        sent.lock()
            .unwrap()
            .push(Sent::new(path, header("content-type"), &body));
        let answer =
            "HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n";
        reader.get_mut().write_all(answer.as_bytes()).unwrap();
    }
}

fn texts(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |attribute: &KeyValue| {
        let value = attribute.value.as_ref().and_then(|any| any.value.as_ref());
        match value {
            Some(Value::StringValue(text)) => text.clone(),
            Some(Value::IntValue(number)) => number.to_string(),
            other => format!("{other:?}"),
        }
    };
    let texts = attributes
        .iter()
        .map(|attribute| (attribute.key.clone(), text(attribute)));
    texts.collect()
}

impl Sent {
    fn new(path: String, kind: String, body: &[u8]) -> Self {
        let body = ExportTraceServiceRequest::decode(body).unwrap();
        let resource = body.resource_spans[0].resource.as_ref().unwrap();
        Self {
            path,
            kind,
            service: texts(&resource.attributes)["service.name"].clone(),
            body,
        }
    }

    pub fn spans(&self) -> Vec<Span> {
        let scopes = self.body.resource_spans.iter();
        let spans = scopes
            .flat_map(|resource| &resource.scope_spans)
            .flat_map(|scope| &scope.spans);
        let span = |span: &opentelemetry_proto::tonic::trace::v1::Span| Span {
            name: span.name.clone(),
            failed: span
                .status
                .as_ref()
                .is_some_and(|status| status.code() == StatusCode::Error),
            events: span.events.iter().map(|event| event.name.clone()).collect(),
            attributes: texts(&span.attributes),
        };
        spans.map(span).collect()
    }
}

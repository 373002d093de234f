//! A reranking service that stands in for a real one.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// A reranking service on this machine: keeps what it was sent, prefers texts that say "sold", and
/// fails with a status when it is told to.
pub struct StandIn {
    pub endpoint: String,
    pub requests: Arc<Mutex<Vec<(String, Value)>>>,
    pub status: Arc<Mutex<u16>>,
}

impl StandIn {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}/v1/rerank", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let status = Arc::new(Mutex::new(200));
        let (kept, told) = (Arc::clone(&requests), Arc::clone(&status));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    if reader.read_line(&mut head).unwrap_or(0) == 0 {
                        break;
                    }
                }
                let header = |name: &str| {
                    head.lines().find_map(|line| {
                        let (found, value) = line.split_once(':')?;
                        found
                            .eq_ignore_ascii_case(name)
                            .then(|| value.trim().to_owned())
                    })
                };
                let length = header("content-length")
                    .and_then(|text| text.parse::<usize>().ok())
                    .unwrap_or(0);
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                let body: Value = serde_json::from_slice(&body).unwrap();
                let results: Vec<Value> = body["documents"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .enumerate()
                    .map(|(index, text)| {
                        let sold = text.as_str().unwrap().contains("sold");
                        json!({"index": index, "relevance_score": if sold { 0.9 } else { 0.1 }})
                    })
                    .collect();
                kept.lock()
                    .unwrap()
                    .push((header("authorization").unwrap_or_default(), body));
                let status = *told.lock().unwrap();
                let answer = json!({ "results": results }).to_string();
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{answer}",
                    answer.len()
                );
            }
        });
        Self {
            endpoint,
            requests,
            status,
        }
    }

    pub fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

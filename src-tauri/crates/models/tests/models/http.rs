use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use models::{
    Breaker, BreakerState, Clock, HttpReranker, HttpRerankerConfig, RerankError, Reranker,
    ScoreScale, TripKind,
};
use serde_json::json;
use wiremock::matchers::{body_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const LONG: Duration = Duration::from_mins(1);
const DOCUMENTS: [&str; 3] = ["first secretword", "second", "third"];

/// A reranker with a clock that the test turns, and a mock server for it.
struct Bench {
    runtime: tokio::runtime::Runtime,
    server: MockServer,
    seconds: Arc<AtomicU64>,
    reranker: HttpReranker,
}

fn reranker(endpoint: String, scale: ScoreScale) -> (HttpReranker, Arc<AtomicU64>) {
    let seconds = Arc::new(AtomicU64::new(0));
    let read = Arc::clone(&seconds);
    let clock: Clock = Arc::new(move || Duration::from_secs(read.load(Ordering::SeqCst)));
    let config = HttpRerankerConfig {
        key: Some("sk-test".to_owned().into()),
        scale,
        timeout: Duration::from_millis(400),
        ..HttpRerankerConfig::new(endpoint, "test-model")
    };
    let reranker = HttpReranker::new(config, Breaker::new(clock, None)).unwrap();
    (reranker, seconds)
}

fn bench(scale: ScoreScale) -> Bench {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(MockServer::start());
    let (reranker, seconds) = reranker(format!("{}/v1/rerank", server.uri()), scale);
    Bench {
        runtime,
        server,
        seconds,
        reranker,
    }
}

impl Bench {
    /// From now on the server answers like this.
    fn answer(&self, template: ResponseTemplate) {
        self.runtime.block_on(async {
            self.server.reset().await;
            Mock::given(method("POST"))
                .and(path("/v1/rerank"))
                .respond_with(template)
                .mount(&self.server)
                .await;
        });
    }
    fn answer_json(&self, body: &serde_json::Value) {
        self.answer(ResponseTemplate::new(200).set_body_json(body));
    }
    fn requests(&self) -> usize {
        self.runtime
            .block_on(self.server.received_requests())
            .unwrap()
            .len()
    }
    fn score(&self) -> Result<Vec<Option<f64>>, RerankError> {
        score(&self.reranker, LONG)
    }
    fn advance(&self, seconds: u64) {
        self.seconds.fetch_add(seconds, Ordering::SeqCst);
    }
    fn breaker(&self) -> (BreakerState, u64, Option<TripKind>) {
        breaker(&self.reranker)
    }
}

fn score(reranker: &HttpReranker, deadline: Duration) -> Result<Vec<Option<f64>>, RerankError> {
    reranker.score("the query", &DOCUMENTS, &|_| 1.0, deadline)
}

fn breaker(reranker: &HttpReranker) -> (BreakerState, u64, Option<TripKind>) {
    let view = reranker.breaker().unwrap();
    (view.state, view.remaining.as_secs(), view.cause)
}

const CLOSED: (BreakerState, u64, Option<TripKind>) = (BreakerState::Closed, 0, None);

fn open(seconds: u64, cause: TripKind) -> (BreakerState, u64, Option<TripKind>) {
    (BreakerState::Open, seconds, Some(cause))
}

fn results(pairs: &[(usize, f64)]) -> serde_json::Value {
    let entries: Vec<_> = pairs
        .iter()
        .map(|(index, score)| json!({"index": index, "relevance_score": score}))
        .collect();
    json!({"model": "test-model", "results": entries, "usage": {"total_tokens": 9}})
}

fn good() -> serde_json::Value {
    results(&[(2, 0.9), (0, 0.5), (1, 0.1)])
}

#[test]
fn unordered_answers_are_put_in_order() {
    let b = bench(ScoreScale::Probability);
    b.runtime.block_on(
        Mock::given(method("POST"))
            .and(path("/v1/rerank"))
            .and(header("authorization", "Bearer sk-test"))
            .and(body_json(json!({
                "model": "test-model", "query": "the query", "documents": DOCUMENTS, "top_n": 3,
            })))
            .respond_with(ResponseTemplate::new(200).set_body_json(good()))
            .expect(1)
            .mount(&b.server),
    );
    assert_eq!(b.score().unwrap(), [Some(0.5), Some(0.1), Some(0.9)]);
    assert_eq!(b.breaker(), CLOSED);
    b.runtime.block_on(b.server.verify());
}

#[test]
fn nothing_is_sent_for_no_documents_or_no_time() {
    let b = bench(ScoreScale::Probability);
    b.answer_json(&good());
    let none = b.reranker.score("query", &[], &|_| 1.0, LONG).unwrap();
    assert!(none.is_empty());
    assert!(matches!(
        score(&b.reranker, Duration::ZERO),
        Err(RerankError::Deadline)
    ));
    assert_eq!(b.requests(), 0);
}

#[test]
fn a_rate_limit_pauses_as_asked_then_one_probe_decides() {
    let b = bench(ScoreScale::Probability);
    b.answer(ResponseTemplate::new(429).insert_header("retry-after", "7"));
    match b.score() {
        Err(RerankError::RateLimited { pause }) => assert_eq!(pause.as_secs(), 7),
        other => panic!("{other:?}"),
    }
    assert_eq!(b.breaker(), open(7, TripKind::RateLimited));
    b.advance(5);
    match b.score() {
        Err(RerankError::Open { remaining }) => assert_eq!(remaining.as_secs(), 2),
        other => panic!("{other:?}"),
    }
    assert_eq!(b.requests(), 1, "nothing is sent while open");
    b.advance(2);
    assert_eq!(b.breaker().0, BreakerState::HalfOpen);
    b.answer_json(&good());
    assert!(b.score().is_ok());
    assert_eq!(b.breaker(), CLOSED);
}

#[test]
fn a_rate_limit_without_a_wish_pauses_for_a_minute() {
    let b = bench(ScoreScale::Probability);
    b.answer(ResponseTemplate::new(429));
    assert!(b.score().is_err());
    assert_eq!(b.breaker(), open(60, TripKind::RateLimited));
}

#[test]
fn server_errors_pause_for_half_a_minute() {
    for status in [500, 502, 503] {
        let b = bench(ScoreScale::Probability);
        b.answer(ResponseTemplate::new(status).set_body_string("echo: first secretword"));
        let error = b.score().unwrap_err();
        assert!(matches!(error, RerankError::Server { status: s } if s == status));
        assert!(!format!("{error} {error:?}").contains("secretword"));
        assert_eq!(b.breaker(), open(30, TripKind::Server));
    }
}

#[test]
fn a_hanging_server_times_out() {
    let b = bench(ScoreScale::Probability);
    b.answer(
        ResponseTemplate::new(200)
            .set_body_json(good())
            .set_delay(Duration::from_secs(3)),
    );
    assert!(matches!(b.score(), Err(RerankError::Timeout)));
    assert_eq!(b.breaker(), open(15, TripKind::Timeout));
}

#[test]
fn a_shorter_deadline_is_no_verdict_and_frees_the_probe() {
    let b = bench(ScoreScale::Probability);
    let slow = || {
        ResponseTemplate::new(200)
            .set_body_json(good())
            .set_delay(Duration::from_secs(3))
    };
    b.answer(slow());
    let hurried = || score(&b.reranker, Duration::from_millis(100));
    assert!(matches!(hurried(), Err(RerankError::Deadline)));
    assert_eq!(b.breaker(), CLOSED);

    b.answer(ResponseTemplate::new(500));
    assert!(b.score().is_err());
    b.advance(30);
    b.answer(slow());
    assert!(matches!(hurried(), Err(RerankError::Deadline)));
    assert_eq!(b.breaker().0, BreakerState::HalfOpen);
    b.answer_json(&good());
    assert!(b.score().is_ok());
    assert_eq!(b.breaker(), CLOSED);
}

#[test]
fn refused_requests_do_not_open_the_breaker() {
    for status in [400, 401, 403, 404, 302] {
        let b = bench(ScoreScale::Probability);
        let elsewhere = format!("{}/elsewhere", b.server.uri());
        b.answer(ResponseTemplate::new(status).insert_header("location", elsewhere.as_str()));
        assert!(matches!(
            b.score(),
            Err(RerankError::Refused { status: s }) if s == status
        ));
        assert_eq!(b.breaker(), CLOSED);
        assert_eq!(b.requests(), 1, "redirects are not followed");
    }
}

#[test]
fn unusable_answers_are_errors_that_quote_nothing() {
    let b = bench(ScoreScale::Probability);
    let bodies = [
        "<html>first secretword</html>".to_owned(),
        String::new(),
        "null".to_owned(),
        json!({"results": []}).to_string(),
        results(&[(0, 0.1), (1, 0.2)]).to_string(),
        results(&[(0, 0.1), (1, 0.2), (2, 0.3), (2, 0.4)]).to_string(),
        results(&[(0, 0.1), (1, 0.2), (1, 0.3)]).to_string(),
        results(&[(0, 0.1), (1, 0.2), (3, 0.3)]).to_string(),
        results(&[(0, 0.1), (1, 0.2), (2, 1.5)]).to_string(),
        results(&[(0, 0.1), (1, 0.2), (2, -0.1)]).to_string(),
        results(&[(0, 0.1), (1, 0.2), (2, f64::NAN)]).to_string(),
        good().to_string().replace("0.9", "NaN"),
        good().to_string().replace("0.9", "1e999"),
        good().to_string().replace("0.9", "\"0.9\""),
        good().to_string().replace(":2", ":-2"),
    ];
    for body in bodies {
        b.answer(ResponseTemplate::new(200).set_body_string(body.as_str()));
        let error = b.score().unwrap_err();
        assert!(
            matches!(error, RerankError::Answer { .. }),
            "{body}: {error:?}"
        );
        assert!(!format!("{error} {error:?}").contains("secretword"));
        assert_eq!(b.breaker(), CLOSED, "{body}");
    }
}

#[test]
fn an_endless_answer_is_cut_off() {
    let b = bench(ScoreScale::Probability);
    b.answer(ResponseTemplate::new(200).set_body_bytes(vec![b' '; 5 << 20]));
    match b.score() {
        Err(RerankError::Answer { reason }) => assert_eq!(reason, "it is too large"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn logits_pass_the_logistic_function_once() {
    let b = bench(ScoreScale::Logit);
    b.answer_json(&results(&[(0, 0.0), (1, -800.0), (2, 800.0)]));
    let found = b.score().unwrap();
    assert_eq!(found, [Some(0.5), Some(0.0), Some(1.0)]);
}

/// A server that takes one connection and does this with it.
fn raw(conduct: impl FnOnce(std::net::TcpStream) + Send + 'static) -> HttpReranker {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || conduct(listener.accept().unwrap().0));
    let endpoint = format!("http://127.0.0.1:{port}/v1/rerank");
    reranker(endpoint, ScoreScale::Probability).0
}

#[test]
fn a_closed_port_is_a_connection_error() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let endpoint = format!("http://127.0.0.1:{port}/v1/rerank");
    let (reranker, _) = reranker(endpoint, ScoreScale::Probability);
    assert!(matches!(
        score(&reranker, LONG),
        Err(RerankError::Connection)
    ));
    assert_eq!(breaker(&reranker), open(30, TripKind::Connection));
}

#[test]
fn a_connection_that_breaks_is_a_connection_error() {
    // At once, with the request unread: the system answers with a reset.
    let reset = raw(drop);
    assert!(matches!(score(&reset, LONG), Err(RerankError::Connection)));
    assert_eq!(breaker(&reset), open(30, TripKind::Connection));

    // In the middle of the answer.
    let half = raw(|mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"results\": [");
    });
    assert!(matches!(score(&half, LONG), Err(RerankError::Connection)));
    assert_eq!(breaker(&half), open(30, TripKind::Connection));
}

#[test]
fn an_answer_that_is_not_http_is_unusable() {
    let garbage = raw(|mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(b"\x16\x03\x01 this is not what was asked for\r\n\r\n");
    });
    assert!(matches!(
        score(&garbage, LONG),
        Err(RerankError::Answer { .. })
    ));
}

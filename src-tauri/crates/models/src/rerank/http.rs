//! A reranking service over HTTP, in the shape that Jina and Cohere share.
//!
//! Request: `POST endpoint {"model", "query", "documents": [text…], "top_n"}` with the key as bearer.
//! Answer: `{"results": [{"index", "relevance_score"}…]}` in any order.
//!
//! Guarantees: one score per document in the documents' order, or an error; never a partial or
//! doubled list. Nothing is sent while the breaker is open. Redirects are not followed, and plain
//! HTTP is accepted on this machine only, so that key and memories reach no one else. An answer is
//! read up to a fixed size.

use std::net::IpAddr;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use ureq::http::{HeaderMap, Uri};
use zeroize::Zeroizing;

use super::{Breaker, BreakerView, RerankError, Reranker, Trip, sigmoid};
use crate::Script;

/// How long a service may take before it counts as down.
const TIMEOUT: Duration = Duration::from_secs(10);
/// More than any honest answer about some hundred documents.
const LARGEST_ANSWER: u64 = 4 << 20;

/// What the service's numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScoreScale {
    /// Scores in 0..1, as Jina and Cohere give. A number outside makes the answer unusable.
    #[default]
    Probability,
    /// Logits, as many self-hosted servers give; they pass the logistic function once.
    Logit,
}

/// How to reach the service.
#[derive(Debug, Clone)]
pub struct HttpRerankerConfig {
    /// The full address, such as `https://host/v1/rerank`.
    pub endpoint: String,
    /// The model's name there.
    pub model: String,
    /// The key, if the service wants one.
    pub key: Option<SecretString>,
    /// What its numbers are.
    pub scale: ScoreScale,
    /// A proxy's address, if one is needed.
    pub proxy: Option<String>,
    /// When the service counts as down.
    pub timeout: Duration,
}

impl HttpRerankerConfig {
    /// A service without key, proxy or peculiarities, with the time-out of 10 s.
    pub fn new(endpoint: impl Into<String>, model: impl Into<String>) -> Self {
        HttpRerankerConfig {
            endpoint: endpoint.into(),
            model: model.into(),
            key: None,
            scale: ScoreScale::default(),
            proxy: None,
            timeout: TIMEOUT,
        }
    }
}

/// The service as a [`Reranker`].
pub struct HttpReranker {
    name: String,
    config: HttpRerankerConfig,
    agent: ureq::Agent,
    breaker: Breaker,
}

impl HttpReranker {
    /// Checks the configuration; nothing is sent yet.
    ///
    /// # Errors
    /// [`RerankError::Configuration`].
    pub fn new(config: HttpRerankerConfig, breaker: Breaker) -> Result<HttpReranker, RerankError> {
        let uri: Uri = config
            .endpoint
            .parse()
            .map_err(|_| wrong("the endpoint is not an address"))?;
        let host = uri.host().ok_or(wrong("the endpoint names no host"))?;
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if is_this_machine(host) => {}
            Some("http") => {
                return Err(wrong(
                    "plain HTTP to another machine would show key and memories on the way",
                ));
            }
            _ => return Err(wrong("the endpoint is neither http nor https")),
        }
        let proxy = config
            .proxy
            .as_deref()
            .map(ureq::Proxy::new)
            .transpose()
            .map_err(|_| wrong("the proxy is not an address"))?;
        let agent = ureq::Agent::config_builder()
            .proxy(proxy)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent("lethescope")
            .build()
            .new_agent();
        Ok(HttpReranker {
            name: format!("http/{host}/{}", config.model),
            config,
            agent,
            breaker,
        })
    }

    fn send(
        &self,
        query: &str,
        documents: &[&str],
        timeout: Duration,
    ) -> Result<(u16, HeaderMap, Zeroizing<Vec<u8>>), ureq::Error> {
        let mut request = self
            .agent
            .post(&self.config.endpoint)
            .config()
            .timeout_global(Some(timeout))
            .build();
        if let Some(key) = &self.config.key {
            let bearer = Zeroizing::new(format!("Bearer {}", key.expose_secret()));
            request = request.header("authorization", bearer.as_str());
        }
        let response = request.send_json(Request {
            model: &self.config.model,
            query,
            documents,
            top_n: documents.len(),
        })?;
        let (parts, mut body) = response.into_parts();
        let status = parts.status.as_u16();
        // The body of a failure is never looked at: it may quote what was sent.
        let answer = if parts.status.is_success() {
            body.with_config().limit(LARGEST_ANSWER).read_to_vec()?
        } else {
            Vec::new()
        };
        Ok((status, parts.headers, Zeroizing::new(answer)))
    }
}

impl Reranker for HttpReranker {
    fn name(&self) -> &str {
        &self.name
    }

    /// What the service's model knows is not ours to say.
    fn covers(&self, _script: Script) -> bool {
        true
    }

    fn score(
        &self,
        query: &str,
        documents: &[&str],
        _word_idf: &dyn Fn(&str) -> f64,
        deadline: Duration,
    ) -> Result<Vec<Option<f64>>, RerankError> {
        if documents.is_empty() {
            return Ok(Vec::new());
        }
        if deadline.is_zero() {
            return Err(RerankError::Deadline);
        }
        let permit = self
            .breaker
            .acquire()
            .map_err(|remaining| RerankError::Open { remaining })?;
        let timeout = deadline.min(self.config.timeout);
        let (status, headers, answer) = match self.send(query, documents, timeout) {
            Ok(answer) => answer,
            Err(error) => match failure(&error) {
                // Our own patience ended before the service's time was up: no verdict on it.
                Failure::Timeout if deadline < self.config.timeout => {
                    return Err(RerankError::Deadline);
                }
                Failure::Timeout => {
                    permit.fail(Trip::Timeout);
                    return Err(RerankError::Timeout);
                }
                Failure::Connection => {
                    permit.fail(Trip::Connection);
                    return Err(RerankError::Connection);
                }
                Failure::Answer(reason) => {
                    permit.succeed();
                    return Err(RerankError::Answer { reason });
                }
            },
        };
        match status {
            200..=299 => {
                permit.succeed();
                scores(&answer, documents.len(), self.config.scale)
            }
            429 => {
                let trip = Trip::RateLimited {
                    retry_after: retry_after(&headers),
                };
                Err(RerankError::RateLimited {
                    pause: permit.fail(trip),
                })
            }
            500..=599 => {
                permit.fail(Trip::Server);
                Err(RerankError::Server { status })
            }
            _ => {
                permit.succeed();
                Err(RerankError::Refused { status })
            }
        }
    }

    fn breaker(&self) -> Option<BreakerView> {
        Some(self.breaker.view())
    }
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    query: &'a str,
    documents: &'a [&'a str],
    top_n: usize,
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    index: usize,
    #[serde(alias = "score")]
    relevance_score: Option<f64>,
}

/// The answer's scores in the documents' order.
fn scores(answer: &[u8], count: usize, scale: ScoreScale) -> Result<Vec<Option<f64>>, RerankError> {
    let unusable = |reason| RerankError::Answer { reason };
    let answer: Answer = serde_json::from_slice(answer)
        .map_err(|_| unusable("it is not the JSON of a reranking service"))?;
    if answer.results.len() != count {
        return Err(unusable("it has not one score per document"));
    }
    let mut scores = vec![None; count];
    for entry in answer.results {
        let score = entry
            .relevance_score
            .filter(|score| score.is_finite())
            .ok_or(unusable("a score is not a number"))?;
        let score = match scale {
            ScoreScale::Logit => sigmoid(score),
            ScoreScale::Probability if (0.0..=1.0).contains(&score) => score,
            ScoreScale::Probability => {
                return Err(unusable("a score lies outside 0 to 1 (are they logits?)"));
            }
        };
        let slot = scores
            .get_mut(entry.index)
            .ok_or(unusable("it names a document that was not sent"))?;
        if slot.replace(score).is_some() {
            return Err(unusable("it scores a document twice"));
        }
    }
    Ok(scores)
}

enum Failure {
    Timeout,
    Connection,
    Answer(&'static str),
}

fn failure(error: &ureq::Error) -> Failure {
    match error {
        ureq::Error::Timeout(_) => Failure::Timeout,
        ureq::Error::Io(io) if io.kind() == std::io::ErrorKind::TimedOut => Failure::Timeout,
        ureq::Error::BodyExceedsLimit(_) | ureq::Error::LargeResponseHeader(..) => {
            Failure::Answer("it is too large")
        }
        ureq::Error::Protocol(_) | ureq::Error::Http(_) | ureq::Error::Decompress(..) => {
            Failure::Answer("it is not HTTP")
        }
        _ => Failure::Connection,
    }
}

/// `Retry-After`, in seconds or as a date; a date counts from the answer's own `Date`, since the
/// server's clock need not be ours.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    let value = text("retry-after")?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = |value: &str| jiff::fmt::rfc2822::parse(value.trim()).ok();
    let pause = date(value)?.timestamp().as_second() - date(text("date")?)?.timestamp().as_second();
    Some(Duration::from_secs(u64::try_from(pause).unwrap_or(0)))
}

fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .trim_matches(['[', ']'])
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

fn wrong(reason: &'static str) -> RerankError {
    RerankError::Configuration { reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_and_memories_go_out_encrypted_or_stay_here() {
        let make = |endpoint: &str| {
            let breaker = Breaker::new(super::super::monotonic_clock(), None);
            HttpReranker::new(HttpRerankerConfig::new(endpoint, "m"), breaker)
        };
        for good in [
            "https://rerank.example/v1/rerank",
            "http://127.0.0.1:9000/rerank",
            "http://localhost/rerank",
            "http://[::1]:8080/rerank",
        ] {
            assert!(make(good).is_ok(), "{good}");
        }
        for bad in [
            "http://rerank.example/v1/rerank",
            "http://127.0.0.1.example/rerank",
            "ftp://localhost/rerank",
            "/rerank",
            "not an address",
            "",
        ] {
            assert!(
                matches!(make(bad), Err(RerankError::Configuration { .. })),
                "{bad}"
            );
        }
    }

    #[test]
    fn debug_output_hides_the_key() {
        let mut config = HttpRerankerConfig::new("https://rerank.example", "m");
        config.key = Some(SecretString::from("sk-visible"));
        assert!(!format!("{config:?}").contains("visible"));
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        let read = |pairs: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(*name, value.parse().unwrap());
            }
            retry_after(&headers).map(|pause| pause.as_secs())
        };
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[("retry-after", "7")]), Some(7));
        assert_eq!(read(&[("retry-after", "soon")]), None);
        let date = ("date", "Fri, 06 Mar 2026 08:00:00 GMT");
        assert_eq!(
            read(&[("retry-after", "Fri, 06 Mar 2026 08:01:30 GMT"), date]),
            Some(90)
        );
        assert_eq!(
            read(&[("retry-after", "Fri, 06 Mar 2026 07:00:00 GMT"), date]),
            Some(0)
        );
        assert_eq!(
            read(&[("retry-after", "Fri, 06 Mar 2026 08:01:30 GMT")]),
            None
        );
    }
}

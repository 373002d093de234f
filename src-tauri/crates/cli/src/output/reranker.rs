//! What `lethescope reranker` prints. There is no key in any of it.

use inspector::view::{BreakerCause, Passing, RerankersView, ScoreScaleView};
use serde_json::Value;

use super::Output;
use super::print::inline;

impl Output {
    /// Every reranker, and which one is in use.
    pub fn rerankers(&self, view: &RerankersView) {
        self.object(view, || {
            let name = serde_json::to_value(view.backend);
            say!(
                "in use         {}",
                name.as_ref()
                    .ok()
                    .and_then(Value::as_str)
                    .unwrap_or_default()
            );
            match &view.cross_encoder {
                None => say!("cross-encoder  none set up"),
                Some(one) => say!(
                    "cross-encoder  {}{}",
                    inline(&one.folder),
                    one.fault
                        .as_deref()
                        .map(|why| format!(" ({})", inline(why)))
                        .unwrap_or_default()
                ),
            }
            match &view.service {
                None => say!("service        none set up"),
                Some(one) => {
                    say!(
                        "service        {} at {}",
                        inline(&one.model),
                        inline(&one.endpoint)
                    );
                    say!(
                        "               {}, {}",
                        if one.key_stored {
                            "key stored"
                        } else {
                            "no key"
                        },
                        match one.scale {
                            ScoreScaleView::Probability => "scores 0 to 1",
                            ScoreScaleView::Logit => "logits",
                        }
                    );
                    if let Some(breaker) = one.breaker
                        && breaker.state == Passing::Open
                    {
                        say!(
                            "               paused for {} s: {}",
                            breaker.remaining_seconds,
                            match breaker.cause {
                                Some(BreakerCause::RateLimited) => "rate limit",
                                Some(BreakerCause::Server) => "it failed",
                                Some(BreakerCause::Timeout) => "no answer in time",
                                Some(BreakerCause::Connection) | None => "cannot be reached",
                            }
                        );
                    }
                    say!("               queries and memory texts are sent there");
                }
            }
        });
    }
}

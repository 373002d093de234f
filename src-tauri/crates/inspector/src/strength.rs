//! How hard a passphrase is to guess, by the zxcvbn estimate.

use memory::Passphrase;

use crate::error::{EdgeError, ErrorCode};
use crate::view::StrengthView;

/// Below this a passphrase is refused: it would fall to an offline guess within hours, the
/// deliberate slowness of Argon2id included.
pub const LOWEST_ACCEPTED: u32 = 2;

/// Estimates on the first 100 characters; longer ones are strong anyway.
pub fn estimate(passphrase: &str) -> StrengthView {
    if passphrase.is_empty() {
        return StrengthView {
            score: 0,
            advice: "Type a passphrase. Four or five random words are easy to remember and hard to guess.".into(),
        };
    }
    let start: String = passphrase.chars().take(100).collect();
    let entropy = zxcvbn::zxcvbn(&start, &["lethescope", "vault", "memory"]);
    let score = u32::from(u8::from(entropy.score()));
    let advice = entropy
        .feedback()
        .and_then(|feedback| {
            feedback
                .warning()
                .map(|warning| warning.to_string())
                .or_else(|| feedback.suggestions().first().map(ToString::to_string))
        })
        .unwrap_or_else(|| {
            match score {
                0 | 1 => "Too easy to guess.",
                2 => "Acceptable. One more word makes it a thousand times harder to guess.",
                3 => "Good.",
                _ => "Strong.",
            }
            .to_owned()
        });
    StrengthView { score, advice }
}

/// A passphrase that is hard enough to guess.
pub(crate) fn strong(passphrase: String) -> Result<Passphrase, EdgeError> {
    let rating = estimate(&passphrase);
    if rating.score < LOWEST_ACCEPTED {
        return Err(EdgeError::new(
            ErrorCode::WeakPassphrase,
            &[("advice", &rating.advice)],
        ));
    }
    Ok(Passphrase::new(passphrase)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_beat_tricks() {
        assert!(estimate("password1!").score < LOWEST_ACCEPTED);
        assert!(estimate("lethescope").score < LOWEST_ACCEPTED);
        assert!(estimate("harbor velvet tunnel sixty crow").score >= 4);
        assert_eq!(estimate("").score, 0);
        assert!(estimate(&"长句子口令很难猜".repeat(40)).score >= LOWEST_ACCEPTED);
    }
}

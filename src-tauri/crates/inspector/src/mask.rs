//! Secrets in documents and research are masked on the way in, by the same rules as those in logs.

use std::borrow::Cow;

use ingest::redact::redact;

/// Masks the secrets of a text; true when there were any.
pub(crate) fn mask(text: &mut String) -> bool {
    let Cow::Owned(masked) = redact(text) else {
        return false;
    };
    *text = masked;
    true
}

/// A text without its secrets.
pub(crate) fn masked(text: &str) -> String {
    redact(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_and_everything_else_stays() {
        let mut text = "token ghp_0123456789abcdefghijABCDEFGHIJ012345 for CI".to_owned();
        assert!(mask(&mut text));
        assert_eq!(text, "token [secret:github-token] for CI");
        assert!(!mask(&mut text));
    }
}

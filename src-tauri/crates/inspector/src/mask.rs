//! Documents and research pass on the way in what logs pass: secrets are masked, and what an agent was
//! merely reminded of is cut out.

use std::borrow::Cow;

use ingest::recalled;
use ingest::redact::redact;

/// Cuts blocks of recalled memory out of a text: kept again, they would multiply.
pub(crate) fn cut_recalled(text: &mut String) {
    if let Cow::Owned(shorter) = recalled::cut_said(text) {
        *text = shorter;
    }
}

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

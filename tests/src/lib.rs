//! Acceptance tests of Lethescope, and the rules of the house as tests.
//!
//! The crate itself is empty: everything is in `tests/`, one integration binary, so that it links
//! once. The end-to-end specs of the real window are in `e2e/`.

//! Locking forgets: every block of memory that a program gives back is overwritten first.
//!
//! A memory's text passes through very many strings: cards, traces, postings, requests, JSON on its way
//! to the window. Wiping each by hand would forget one; the allocator sees them all. A block that grows
//! is copied and wiped, which the system's own growing would not do. What C++ libraries allocate
//! for themselves does not come from here; they are handed numbers of tokens, never text.

use std::alloc::System;

use zeroizing_alloc::ZeroAlloc;

#[global_allocator]
static WIPING: ZeroAlloc<System> = ZeroAlloc(System);

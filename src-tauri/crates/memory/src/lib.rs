//! What a memory is, and the vault that holds it.

mod memory;

pub use memory::{
    CreatedAtQuality, Filter, Kind, Memory, MemoryId, Millis, NewMemory, NotAMemoryId, Provenance,
    Role, Scope, Trust,
};

//! No picture of this process on the disk: one would hold the data key and memories in the clear.

/// Forbids core dumps of this process, and lets no other process of the same user look into it.
/// To be called first thing, by every program; the limit goes over to whatever it starts. On Windows,
/// where crash reports are a matter of the system's settings, it does nothing.
pub fn forbid_dumps() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        if let Err(error) = setrlimit(Resource::Core, none) {
            tracing::warn!(%error, "core dumps could not be forbidden");
        }
    }
    // The limit does not count where the system pipes dumps into a program; this does.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
            tracing::warn!(%error, "the process could not be made undumpable");
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::{DumpableBehavior, Resource, dumpable_behavior, getrlimit};

    #[test]
    fn the_process_is_not_dumpable_and_the_limit_is_none() {
        super::forbid_dumps();
        assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
        let limit = getrlimit(Resource::Core);
        assert_eq!((limit.current, limit.maximum), (Some(0), Some(0)));
    }
}

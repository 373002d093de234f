//! The vault as the tools see it: opened when it is needed, within a scope, one question at a time.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use inspector::constants::Constants;
use inspector::error::{EdgeError, ErrorCode};
use inspector::request::{FilterRequest, ListRequest};
use inspector::{Inspector, tuning};
use std::sync::Mutex;

use super::input::NarrowScope;
use crate::failure::Failure;
use crate::opening::{is_of_keychain, open_unasked};

/// See the module.
pub struct Desk {
    inspector: Arc<Inspector>,
    passphrase: Option<PathBuf>,
    scope: FilterRequest,
    preset: Option<String>,
    open: AtomicBool,
    /// A newer question would call an older one off, so they wait for each other.
    turn: Mutex<()>,
    embedding: Arc<AtomicBool>,
}

/// What a tool cannot do, as a sentence for the agent.
pub type Refusal = String;

/// An error of a use-case as a sentence.
pub fn refusal(error: EdgeError) -> Refusal {
    Failure::from(error).sentence()
}

impl Desk {
    /// A desk over a vault that need not be open yet.
    pub fn new(
        inspector: Arc<Inspector>,
        passphrase: Option<PathBuf>,
        scope: FilterRequest,
        preset: Option<String>,
    ) -> Self {
        Self {
            inspector,
            passphrase,
            scope,
            preset,
            open: AtomicBool::new(false),
            turn: Mutex::new(()),
            embedding: Arc::default(),
        }
    }

    /// Does something with the open vault, alone.
    pub fn ask<T>(
        &self,
        work: impl FnOnce(&Inspector) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        // A panic in one call is no reason to refuse the next.
        let _turn = self
            .turn
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        self.unlock()?;
        work(&self.inspector)
    }

    fn unlock(&self) -> Result<(), Refusal> {
        if self.open.load(Ordering::Acquire) {
            return Ok(());
        }
        let locked = |why: &str| {
            format!(
                "The vault is locked: {}. A person has to open it: `lethescope mcp` takes the \
                 passphrase from the file that --passphrase-file or LETHESCOPE_PASSPHRASE_FILE \
                 names, and without such a file asks the system's keychain.",
                why.trim_end_matches('.')
            )
        };
        match open_unasked(&self.inspector, self.passphrase.as_deref(), None) {
            Ok(()) => {
                self.open.store(true, Ordering::Release);
                Ok(())
            }
            Err(Failure::Work(error)) if error.code == ErrorCode::WrongPassphrase => {
                Err(locked("the passphrase in the file is not its own"))
            }
            Err(Failure::Work(error))
                if error.code != ErrorCode::Unreadable && !is_of_keychain(&error) =>
            {
                Err(refusal(error))
            }
            Err(failure) => Err(locked(&failure.sentence())),
        }
    }

    /// The constants to rank with.
    pub fn constants(
        &self,
        inspector: &Inspector,
        changes: &[(&str, u32)],
    ) -> Result<Constants, Refusal> {
        let mut constants = inspector.preset(self.preset.as_deref()).map_err(refusal)?;
        for (name, value) in changes {
            tuning::set(&mut constants, &format!("{name}={value}")).map_err(refusal)?;
        }
        Ok(constants)
    }

    /// Whose a stored memory is: organisation, agent and session of the scope.
    pub fn owner(&self) -> (Option<String>, String, Option<String>) {
        let agent = self.scope.agents.first().cloned();
        (
            self.scope.org.clone(),
            agent.unwrap_or_else(|| "mcp".to_owned()),
            self.scope.session.clone(),
        )
    }

    /// The scope of this server, narrowed by what a call asks for.
    pub fn narrowed(&self, asked: &NarrowScope) -> Result<FilterRequest, Refusal> {
        let mut filter = self.scope.clone();
        narrow("org", &mut filter.org, asked.org.as_ref())?;
        narrow("session", &mut filter.session, asked.session.as_ref())?;
        narrow("after", &mut filter.after, asked.after.as_ref())?;
        narrow("before", &mut filter.before, asked.before.as_ref())?;
        if let Some(agent) = &asked.agent {
            if !filter.agents.is_empty() && !filter.agents.contains(agent) {
                return Err(outside("agent"));
            }
            filter.agents = vec![agent.clone()];
        }
        Ok(filter)
    }

    /// Refuses a memory that is not there, in the trash, or outside of the scope: all alike, so that
    /// nothing is told of what may not be seen.
    pub fn sees(&self, inspector: &Inspector, id: &str) -> Result<(), Refusal> {
        let page = inspector
            .list_memories(&ListRequest {
                filter: self.scope.clone(),
                only: Some(vec![id.to_owned()]),
                limit: 1,
                ..ListRequest::default()
            })
            .map_err(refusal)?;
        if page.total == 1 {
            Ok(())
        } else {
            Err(format!("There is no memory {}.", id.trim()))
        }
    }

    /// Makes the vectors of what was written, behind the answer.
    pub fn embed_behind(&self) {
        if self.embedding.swap(true, Ordering::AcqRel) {
            return;
        }
        let (inspector, running) = (Arc::clone(&self.inspector), Arc::clone(&self.embedding));
        std::thread::spawn(move || {
            if let Err(error) = inspector.embed_pending(&mut |_, _| {}) {
                tracing::warn!(code = ?error.code, "what was stored has no vector yet");
            }
            running.store(false, Ordering::Release);
        });
    }
}

fn narrow(name: &str, fixed: &mut Option<String>, asked: Option<&String>) -> Result<(), Refusal> {
    match (&fixed, asked) {
        (Some(own), Some(asked)) if own != asked => Err(outside(name)),
        (None, Some(asked)) => {
            *fixed = Some(asked.clone());
            Ok(())
        }
        _ => Ok(()),
    }
}

fn outside(name: &str) -> Refusal {
    format!("scope.{name}: outside of what this server may show; it was fixed when it was started.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use inspector::Paths;

    fn desk(scope: FilterRequest) -> Desk {
        let nowhere = PathBuf::from("/nowhere");
        let paths = Paths {
            vault: nowhere.clone(),
            demo: nowhere.clone(),
            models: Vec::new(),
            demo_logs: Vec::new(),
            notices: Vec::new(),
            home: nowhere.clone(),
            evaluation: nowhere,
            editor: None,
        };
        Desk::new(Arc::new(Inspector::for_scripts(paths)), None, scope, None)
    }

    #[test]
    fn a_call_can_narrow_the_scope_and_never_widen_it() {
        let fixed = FilterRequest {
            org: Some("north".into()),
            agents: vec!["codex".into(), "claude-code".into()],
            ..FilterRequest::default()
        };
        let desk = desk(fixed.clone());
        assert_eq!(desk.narrowed(&NarrowScope::default()), Ok(fixed));
        let narrower = desk
            .narrowed(&NarrowScope {
                agent: Some("codex".into()),
                session: Some("s1".into()),
                ..NarrowScope::default()
            })
            .unwrap();
        assert_eq!(narrower.agents, ["codex"]);
        assert_eq!(narrower.org.as_deref(), Some("north"));
        assert_eq!(narrower.session.as_deref(), Some("s1"));
        for asked in [
            NarrowScope {
                agent: Some("person".into()),
                ..NarrowScope::default()
            },
            NarrowScope {
                org: Some("south".into()),
                ..NarrowScope::default()
            },
        ] {
            assert!(desk.narrowed(&asked).unwrap_err().contains("outside"));
        }
    }

    #[test]
    fn without_a_passphrase_every_question_says_that_the_vault_is_locked() {
        let refused = desk(FilterRequest::default()).ask(|_| Ok(())).unwrap_err();
        assert!(refused.starts_with("The vault is locked: "), "{refused}");
        assert!(refused.contains("--passphrase-file"), "{refused}");
    }
}

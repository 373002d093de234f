//! The gates between the vault and the results, and how a memory passed them.

/// The gates, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateName {
    /// The memory is in the vault.
    Stored,
    /// It is not in the trash.
    Trash,
    /// It has not expired.
    Expired,
    /// The filter and the required and excluded terms let it through.
    Scope,
    /// The active model has embedded it.
    Embedded,
    /// The semantic leg hands it over.
    Knn,
    /// The keyword leg hands it over.
    Bm25,
    /// The sparse leg hands it over.
    Sparse,
    /// Fusion ranks it within reach.
    Fusion,
    /// Decay leaves it within reach.
    Decay,
    /// The reranker leaves it among the results.
    Rerank,
    /// It is among the best K.
    Select,
    /// No better memory says the same.
    Duplicate,
    /// It fits into the context block.
    Budget,
}

impl GateName {
    /// All gates, in order.
    pub const ALL: [Self; 14] = [
        Self::Stored,
        Self::Trash,
        Self::Expired,
        Self::Scope,
        Self::Embedded,
        Self::Knn,
        Self::Bm25,
        Self::Sparse,
        Self::Fusion,
        Self::Decay,
        Self::Rerank,
        Self::Select,
        Self::Duplicate,
        Self::Budget,
    ];

    /// The name at the edge.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Trash => "trash",
            Self::Expired => "expired",
            Self::Scope => "scope",
            Self::Embedded => "embedded",
            Self::Knn => "knn",
            Self::Bm25 => "bm25",
            Self::Sparse => "sparse",
            Self::Fusion => "fusion",
            Self::Decay => "decay",
            Self::Rerank => "rerank",
            Self::Select => "select",
            Self::Duplicate => "duplicate",
            Self::Budget => "budget",
        }
    }
}

/// How a memory passed a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateVerdict {
    /// Passed.
    Ok,
    /// A leg did not hand it over.
    Missed,
    /// Here it left the last list that still held it.
    Lost,
    /// Behind the gate that lost it.
    NotReached,
    /// The gate itself broke.
    Failed,
}

/// One gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// Which.
    pub name: GateName,
    /// How it went.
    pub verdict: GateVerdict,
    /// The memory's value here, most often its rank.
    pub value: Option<f64>,
    /// What would have been enough.
    pub threshold: Option<f64>,
    /// How far it is from the threshold; negative = short by.
    pub margin: Option<f64>,
    /// The list was not followed to the memory: it lies at the value or somewhere behind.
    pub beyond: bool,
    /// One sentence.
    pub note: String,
}

/// The gates so far.
#[derive(Default)]
pub(super) struct Gates {
    pub(super) list: Vec<Gate>,
    pub(super) lost: Option<GateName>,
}

impl Gates {
    pub(super) fn push(&mut self, name: GateName, verdict: GateVerdict, note: &str) {
        self.list.push(Gate {
            name,
            verdict,
            value: None,
            threshold: None,
            margin: None,
            beyond: false,
            note: note.to_owned(),
        });
    }

    pub(super) fn ok(&mut self, name: GateName, note: &str) {
        self.push(name, GateVerdict::Ok, note);
    }

    pub(super) fn missed(&mut self, name: GateName, note: &str) {
        self.push(name, GateVerdict::Missed, note);
    }

    pub(super) fn failed(&mut self, name: GateName, note: &str) {
        self.push(name, GateVerdict::Failed, note);
    }

    pub(super) fn lost(&mut self, name: GateName, note: &str) {
        self.push(name, GateVerdict::Lost, note);
        self.lost = Some(name);
    }

    /// Names an earlier gate as the one that lost it; a gate that failed stays failed.
    pub(super) fn lose(&mut self, name: GateName) {
        self.lost = Some(name);
        if let Some(gate) = self.list.iter_mut().find(|gate| gate.name == name)
            && gate.verdict != GateVerdict::Failed
        {
            gate.verdict = GateVerdict::Lost;
        }
    }

    /// A gate behind the one that lost it.
    pub(super) fn not_reached(&mut self, name: GateName, note: &str) {
        self.push(name, GateVerdict::NotReached, note);
    }

    pub(super) fn numbers(&mut self, value: f64, threshold: f64, margin: f64) {
        if let Some(gate) = self.list.last_mut() {
            gate.value = Some(value);
            gate.threshold = Some(threshold);
            gate.margin = Some(margin);
        }
    }

    /// The memory's place at the last gate, and up to which place it lets memories through.
    pub(super) fn place(&mut self, place: usize, last: usize) {
        self.numbers(place as f64, last as f64, last as f64 - place as f64);
    }

    /// The value of the last gate is where the list ended, and no more is known.
    pub(super) fn beyond(&mut self) {
        if let Some(gate) = self.list.last_mut() {
            gate.beyond = true;
        }
    }

    /// All gates in order; those that were never looked at lie behind the one that lost it.
    pub(super) fn complete(self) -> Vec<Gate> {
        GateName::ALL
            .into_iter()
            .map(|name| {
                let found = self.list.iter().find(|gate| gate.name == name).cloned();
                let mut gate = found.unwrap_or(Gate {
                    name,
                    verdict: GateVerdict::NotReached,
                    value: None,
                    threshold: None,
                    margin: None,
                    beyond: false,
                    note: String::new(),
                });
                if gate.note.is_empty() {
                    "Not reached.".clone_into(&mut gate.note);
                }
                gate
            })
            .collect()
    }

    pub(super) fn verdict(&self, name: GateName) -> Option<GateVerdict> {
        self.list
            .iter()
            .find(|gate| gate.name == name)
            .map(|gate| gate.verdict)
    }
}

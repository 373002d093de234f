//! What can be wrong with a vault, in words.

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// A page cannot be opened: its bytes are not those that were written.
    DamagedPage,
    /// SQLite's own check found something.
    Structure,
    /// A row refers to one that is not there.
    ForeignKey,
    /// A keyword index does not say what its texts say, or does not find them.
    KeywordIndex,
    /// A memory without its searchable copy, or a copy without its memory.
    SearchableCopy,
    /// A vector without its memory, a memory that neither has one nor waits for it, or a search
    /// for a vector that does not find it.
    Vectors,
    /// Vectors of which nobody knows the model, or no model that searches use.
    Model,
    /// The write-ahead log is large and cannot be emptied.
    LargeLog,
    /// Others may read or write a file.
    Permissions,
}

impl Finding {
    /// Its name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DamagedPage => "damaged_page",
            Self::Structure => "structure",
            Self::ForeignKey => "foreign_key",
            Self::KeywordIndex => "keyword_index",
            Self::SearchableCopy => "searchable_copy",
            Self::Vectors => "vectors",
            Self::Model => "model",
            Self::LargeLog => "large_log",
            Self::Permissions => "permissions",
        }
    }

    /// What is wrong at a place, in one sentence.
    pub fn sentence(self, place: &str) -> String {
        match self {
            Self::DamagedPage if place == "vault.db" => {
                "A page of vault.db that no table uses is damaged: its bytes are not those that were written.".into()
            }
            Self::DamagedPage => format!(
                "A page of {place} is damaged: its bytes are not those that were written."
            ),
            Self::Structure => format!("The structure of the database is broken: {place}."),
            Self::ForeignKey => format!("A row of {place} refers to one that is not there."),
            Self::KeywordIndex => {
                format!("The keyword index {place} does not say what the memories say.")
            }
            Self::SearchableCopy => {
                "The searchable copies of the memories are not in step with them.".into()
            }
            Self::Vectors => format!("Vectors and memories are not in step in {place}."),
            Self::Model => format!("The model of the vectors in {place} is not known."),
            Self::LargeLog => format!(
                "{place} is large and could not be emptied: another program has had the vault open for long."
            ),
            Self::Permissions => format!("Others than the owner may open {place}."),
        }
    }

    /// What one can do about it.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::DamagedPage | Self::Structure => {
                "Repair saves every row that can be read into a new file and sets this one aside; a backup has the rest."
            }
            Self::ForeignKey => "Repair forgets that row.",
            Self::SearchableCopy | Self::KeywordIndex => {
                "Repair builds it anew from the memories; nothing is lost."
            }
            Self::Vectors | Self::Model => {
                "Repair lets the memories wait for new vectors; nothing is lost."
            }
            Self::LargeLog => "Close the other program and check again.",
            Self::Permissions => "Repair takes the permission back.",
        }
    }

    /// Whether rows may be lost: the others stand in what is derived from rows, or beside the file.
    pub const fn touches_rows(self) -> bool {
        matches!(self, Self::DamagedPage | Self::Structure)
    }

    /// Whether the vault is not as it should be; a log that somebody keeps full is only noted.
    pub const fn is_fault(self) -> bool {
        !matches!(self, Self::LargeLog)
    }
}

/// Something that a check found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// What is wrong.
    pub finding: Finding,
    /// Where: a table, an index, a file, or what SQLite says of the structure.
    pub place: String,
}

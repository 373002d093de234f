//! Invented memories and questions of any number, the same for the same seed.

use memory::{CreatedAtQuality, Inserted, Kind, NewMemory, Role, Scope, Trust, Vault};
use models::testing::HashedEmbedder;
use models::{Embedder, ModelIdentity};

const VOCABULARY: u32 = 30_000;
const BATCH: u32 = 1000;
const DAY: i64 = 86_400_000;

const STARTS: [&str; 16] = [
    "ba", "dro", "fi", "gu", "ka", "le", "mo", "ni", "pra", "qui", "ro", "se", "tra", "vu", "xe",
    "zo",
];
const MIDDLES: [&str; 16] = [
    "bar", "cel", "din", "fer", "gol", "hum", "jas", "kin", "lop", "mur", "nes", "pol", "rit",
    "sun", "tev", "wor",
];
const ENDS: [&str; 16] = [
    "a", "by", "der", "en", "fy", "gle", "ion", "ka", "ly", "ment", "nor", "out", "per", "ry",
    "ster", "um",
];

/// A source of invented text (xorshift).
pub struct Invented {
    state: u64,
    /// How much of Zipf's mass lies at or before a rank.
    cumulated: Vec<f64>,
}

impl Invented {
    pub fn new(seed: u64) -> Self {
        let mut sum = 0.0;
        let cumulated = (1..=VOCABULARY)
            .map(|rank| {
                sum += 1.0 / f64::from(rank);
                sum
            })
            .collect();
        Self {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            cumulated,
        }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state >> 16
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// The word of a rank: three syllables, the rank spelt out.
    fn word(rank: usize) -> String {
        let digits = [rank % 16, rank / 16 % 16, rank / 256 % 16, rank / 4096];
        let tail = if digits[3] > 0 {
            MIDDLES[digits[3]]
        } else {
            ""
        };
        format!(
            "{}{}{tail}{}",
            STARTS[digits[0]], MIDDLES[digits[1]], ENDS[digits[2]]
        )
    }

    fn zipf(&mut self) -> String {
        let total = self.cumulated.last().copied().unwrap_or(1.0);
        let at = (self.below(1 << 30) as f64) / f64::from(1_u32 << 30) * total;
        Self::word(self.cumulated.partition_point(|&sum| sum < at))
    }

    fn code(number: u64) -> String {
        format!("ERR_{:04X}_{}", number % 0x1_0000, number % 97)
    }

    /// A text of so many words, one in ten with an identifier.
    pub fn text(&mut self, words: u64) -> String {
        let mut parts: Vec<String> = (0..words).map(|_| self.zipf()).collect();
        if self.below(10) == 0 {
            parts.push(Self::code(self.below(50_000)));
        }
        parts.join(" ")
    }

    /// Questions in turn: everyday words, two rare words, four of the sixteen commonest words, an
    /// identifier, a piece of a word.
    pub fn question(&mut self, at: usize) -> String {
        let rare = |this: &mut Self| Self::word(2000 + this.below(20_000) as usize);
        match at % 5 {
            0 => (0..6).map(|_| self.zipf()).collect::<Vec<_>>().join(" "),
            1 => format!("{} {}", rare(self), rare(self)),
            2 => (0..4)
                .map(|at| Self::word(4 * at + self.below(4) as usize))
                .collect::<Vec<_>>()
                .join(" "),
            3 => format!("{} {}", Self::code(self.below(50_000)), self.zipf()),
            _ => {
                let word = rare(self);
                format!("{} {}", &word[1..], self.zipf())
            }
        }
    }
}

const WHO: [&str; 8] = [
    "the nightly build",
    "our importer",
    "the payment service",
    "the search page",
    "the mail queue",
    "the login form",
    "the invoice renderer",
    "the webhook receiver",
];
const DID: [&str; 7] = [
    "was slow because of",
    "now retries after",
    "failed with",
    "was fixed by",
    "no longer needs",
    "should avoid",
    "was blocked by",
];
const WHAT: [&str; 11] = [
    "a missing index on the orders table",
    "an expired certificate",
    "two retries with jitter",
    "a larger connection pool",
    "a null in the response",
    "the wrong time zone",
    "a circular import",
    "an unbounded queue",
    "a race on start-up",
    "the new schema",
    "a smaller batch",
];

/// A short English sentence, a different one for every number below 616.
pub fn sentence(at: usize) -> String {
    format!("{} {} {}", WHO[at % 8], DID[at / 8 % 7], WHAT[at / 56 % 11])
}

/// Stores and embeds so many memories, a year long; their vectors are filed under `identity`.
pub fn fill(
    vault: &Vault,
    embedder: &HashedEmbedder,
    identity: &ModelIdentity,
    memories: u32,
    now: i64,
) {
    let mut invented = Invented::new(1);
    let model = vault
        .write(|w| w.embeddings().register(&identity.id, identity.dimension))
        .unwrap();
    let mut directions = std::collections::HashMap::new();
    for first in (0..memories).step_by(BATCH as usize) {
        let batch: Vec<NewMemory> = (first..memories.min(first + BATCH))
            .map(|at| {
                let words = 8 + invented.below(40);
                let age = i64::from(memories - at) * 365 * DAY / i64::from(memories);
                memory(at, invented.text(words), now - age)
            })
            .collect();
        vault
            .write(|w| {
                for memory in &batch {
                    let Inserted::Stored(id) = w.memories().insert(memory, now)? else {
                        continue;
                    };
                    let vector = sum(embedder, &mut directions, &memory.content);
                    w.embeddings()
                        .put(&model, id, 1, &[(0..memory.content.len(), vector)])?;
                }
                Ok(())
            })
            .unwrap();
    }
}

/// The vector the embedder gives, made faster by keeping the words' directions.
fn sum(
    embedder: &HashedEmbedder,
    directions: &mut std::collections::HashMap<String, Vec<f32>>,
    text: &str,
) -> Vec<f32> {
    let mut total = vec![0.0_f32; embedder.identity().dimension as usize];
    for word in text.split(' ') {
        let direction = directions
            .entry(word.to_owned())
            .or_insert_with(|| embedder.embed_query(word).unwrap());
        total
            .iter_mut()
            .zip(direction.iter())
            .for_each(|(a, b)| *a += b);
    }
    models::unit_vector(total, embedder.identity().dimension as usize).unwrap()
}

fn memory(at: u32, content: String, created_at: i64) -> NewMemory {
    NewMemory {
        scope: Scope {
            org: String::new(),
            agent: ["weaver", "mender", "scout"][at as usize % 3].to_owned(),
            session: Some(format!("s{}", at / 50)),
        },
        role: if at % 2 == 0 {
            Role::User
        } else {
            Role::Assistant
        },
        kind: Kind::Text,
        content,
        tool_name: None,
        tool_payload: None,
        created_at: Some(created_at),
        created_at_quality: CreatedAtQuality::Record,
        expires_at: None,
        provenance: None,
        source_key: format!("line {at}"),
        tags: Vec::new(),
        pinned: false,
        trust: Trust::Normal,
    }
}

//! English words so common that they tell nothing about what is meant.
//!
//! The list is short on purpose: a word left out of it costs a little time, a word wrongly in it
//! costs a hit. None of them is ignored when the query has nothing else.

/// Lower case, straight apostrophes, in alphabetical order for the binary search.
const STOP_WORDS: &[&str] = &[
    "a", "about", "again", "am", "an", "and", "any", "are", "aren't", "as", "at", "be", "been",
    "but", "by", "can", "could", "did", "didn't", "do", "does", "doesn't", "don't", "for", "from",
    "had", "has", "have", "he", "her", "his", "how", "i", "i'm", "if", "in", "into", "is", "isn't",
    "it", "it's", "its", "let's", "me", "my", "no", "not", "of", "on", "or", "our", "she",
    "should", "so", "some", "than", "that", "that's", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "to", "us", "was", "wasn't", "we", "were", "what", "what's",
    "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
];

/// True for a word of the list, given in lower case.
pub fn is_stop_word(lower: &str) -> bool {
    STOP_WORDS.binary_search(&lower).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order_and_holds_no_term_of_the_trade() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && is_stop_word("it's"));
        for kept in ["error", "test", "go", "thé", "c", "up"] {
            assert!(!is_stop_word(kept));
        }
    }
}

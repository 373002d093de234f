//! What a name says about its value: `client_secret` is one, `token_limit` is none.

/// How much a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A password: anything may be one.
    Password,
    /// A token or a key: one plain word is rarely one.
    Token,
    /// Something about a secret: only what looks random is one.
    Mention,
}

const BENIGN_END: &str = "value val prod production dev development staging stage test testing live local ci base b64 \
    base64 old new current previous raw plain plaintext string str text env data hex bytes ro rw \
    readonly primary secondary default main a b confirmation confirm again repeat encoded";
const NOT_VALUES: &str = "url uri endpoint type name arn id ids path file dir length len size count limit min max ttl \
    expiry expires at in age version policy field label hint algorithm alg regex pattern rules \
    header prefix suffix format scope scopes provider manager store ref class index usage budget \
    required enabled timeout strength reset error message status used tokens";
/// Words that make a secret of a key that stands behind them.
pub(super) const KEY_OF: &str = "api access secret private auth encryption encrypt signing sign master account storage license \
    service webhook session shared preshared app application client deploy ssh hmac jwt aes admin \
    root publish ingest ingestion subscription integration consumer function host write read crypto \
    cipher decryption server project restricted global authentication authorization user bot \
    personal rest sas fernet kms vault unseal recovery maps routing team sdk network";
const OTHER_KEY: &str = "primary public foreign sort cache partition index row object map group unique idempotency \
    translation event query hot shard routing natural lookup composite";
const OTHER_TOKEN: &str = "next page pad eos bos unk sep cls mask special stop start end first last per cancellation \
    continuation prev input";
const PASSWORDS: &str = "password passwd passwort kennwort pwd passphrase passcode pswd psw mdp senha contrasena psk pw \
    passwords passphrases wachtwoord parola haslo lozinka salasana losenord adgangskode";
const PASS_OF: &str = "db mysql smtp mail email user admin root ftp sftp ssh redis pg postgres mongo rabbitmq auth \
    login basic http proxy account ldap bind service become ssl key store wifi imap database require \
    sudo bind my ro";

/// Whether a list of words, with blanks between, has a word.
pub(super) fn among(list: &str, word: &str) -> bool {
    list.split(' ').any(|of| of == word)
}

/// The words of a name in small letters, cut at signs and capitals.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        if !c.is_alphanumeric() {
            before = ' ';
            continue;
        }
        let begins = before == ' '
            || (c.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()))
            || (c.is_ascii_digit() && !before.is_ascii_digit());
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words
}

/// Whence a program takes what it hands over, and what it calls it there.
const OF_CODE: &str = "self this cls me it config configuration conf cfg settings setting options option opts env environ \
    environment process os system request req response res resp ctx context args params props state data headers \
    credential credentials creds client account result store local storage vars values token tokens key keys secret \
    secrets password id jwt cookie cookies session auth bearer value get read load fetch";

/// Whether a dotted name, `settings.token` or `req.user.jwt`, has a word of those that stand in code; a
/// token may be written with dots as well.
pub(super) fn is_code(field: &str) -> bool {
    let known = |word: &String| among(OF_CODE, word) || among(KEY_OF, word);
    words_of(field).iter().any(known)
}

/// What a name means; nothing when it has no secret behind it.
pub(super) fn meaning_of(name: &str) -> Option<Meaning> {
    if !name.is_ascii() || name.len() >= 12 && name.to_ascii_lowercase().ends_with("mot de passe") {
        return Some(Meaning::Password);
    }
    let capitals = !name.bytes().any(|b| b.is_ascii_lowercase());
    let mut words = words_of(name);
    while words.len() > 1 {
        let last = words.last().map_or("", String::as_str);
        let digits = last.bytes().all(|b| b.is_ascii_digit());
        if digits || among(BENIGN_END, last) {
            words.pop();
        } else {
            break;
        }
    }
    let last = words.last()?.as_str();
    let before = words
        .len()
        .checked_sub(2)
        .map_or("", |at| words[at].as_str());
    let ends = |endings: &[&str]| endings.iter().any(|ending| last.ends_with(ending));
    if last == "pwd" && capitals && (words.len() == 1 || before == "OLD") || name == "OLDPWD" {
        return None;
    }
    if among(PASSWORDS, last) || ends(&["password", "passwd", "passphrase", "passwort", "pwd"]) {
        return Some(Meaning::Password);
    }
    if last == "pass" {
        return Some(if among(PASS_OF, before) {
            Meaning::Password
        } else {
            Meaning::Mention
        });
    }
    if ["pass", "pw"]
        .iter()
        .any(|end| last.strip_suffix(end).is_some_and(|of| among(PASS_OF, of)))
    {
        return Some(Meaning::Password);
    }
    if last == "secret" || last.len() > 6 && last.ends_with("secret") {
        return Some(Meaning::Password);
    }
    if last == "token" || last.ends_with("token") {
        return (!among(OTHER_TOKEN, before)).then_some(Meaning::Token);
    }
    if ends(&[
        "apikey",
        "accesskey",
        "secretkey",
        "privatekey",
        "authkey",
        "masterkey",
        "encryptionkey",
        "signingkey",
        "licensekey",
        "sharedkey",
        "appkey",
        "accountkey",
        "subscriptionkey",
        "presharedkey",
        "deploykey",
    ]) {
        return Some(Meaning::Token);
    }
    if last == "key" {
        if among(KEY_OF, before) {
            return Some(Meaning::Token);
        }
        if among(OTHER_KEY, before) {
            return None;
        }
        if capitals && words.len() > 1 {
            return Some(Meaning::Token);
        }
        return (words.len() > 1).then_some(Meaning::Mention);
    }
    if last == "auth" && capitals && words.len() > 1 {
        return Some(Meaning::Token);
    }
    if matches!(
        last,
        "credential" | "credentials" | "creds" | "salt" | "auth"
    ) {
        return Some(Meaning::Mention);
    }
    if among(NOT_VALUES, last) {
        return None;
    }
    let mentions = words.iter().any(|word| {
        among(PASSWORDS, word.as_str())
            || word == "secret"
            || word == "token"
            || word == "apikey"
            || word == "key" && capitals
    });
    mentions.then_some(Meaning::Mention)
}

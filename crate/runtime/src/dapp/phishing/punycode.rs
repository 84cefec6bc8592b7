//! Names of hosts that are not ASCII (RFC 3492): `xn--bcher-kva` is `bücher`.

const BASE: u32 = 36;
const LEAST: u32 = 1;
const MOST: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const FIRST_BIAS: u32 = 72;
const FIRST_CODE: u32 = 0x80;

/// A host as it would be read: every encoded label decoded. One that cannot be decoded stays as it is.
pub(crate) fn decoded_host(host: &str) -> String {
    let labels: Vec<String> = host
        .split('.')
        .map(|label| match label.strip_prefix("xn--").and_then(decode) {
            Some(decoded) => decoded,
            None => label.to_owned(),
        })
        .collect();
    labels.join(".")
}

/// Whether a label of a host is encoded.
pub(crate) fn is_encoded(host: &str) -> bool {
    host.split('.').any(|label| label.starts_with("xn--"))
}

/// A label without its `xn--`.
fn decode(label: &str) -> Option<String> {
    let (basic, extended) = label.rsplit_once('-').unwrap_or(("", label));
    let mut letters: Vec<char> = basic.chars().collect();
    let (mut code, mut place, mut bias) = (FIRST_CODE, 0_u32, FIRST_BIAS);
    let mut digits = extended.bytes();
    while digits.len() > 0 {
        let before = place;
        let (mut weight, mut k) = (1_u32, BASE);
        loop {
            let digit = digit(digits.next()?)?;
            place = place.checked_add(digit.checked_mul(weight)?)?;
            let threshold = k.saturating_sub(bias).clamp(LEAST, MOST);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
            k = k.checked_add(BASE)?;
        }
        let count = u32::try_from(letters.len()).ok()?.checked_add(1)?;
        bias = adapted(place - before, count, before == 0);
        code = code.checked_add(place / count)?;
        place %= count;
        let letter = char::from_u32(code).filter(|letter| !deceives(*letter))?;
        letters.insert(usize::try_from(place).ok()?, letter);
        place += 1;
    }
    Some(letters.into_iter().collect())
}

/// Whether a letter would hide another, or pass for what divides a name. Browsers take no such name; it is not shown decoded.
fn deceives(letter: char) -> bool {
    letter.is_control()
        || letter.is_whitespace()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{2000}'..='\u{206f}'
                | '\u{2215}'
                | '\u{29f8}'
                | '\u{3002}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ff0e}'
                | '\u{ff0f}'
                | '\u{ff61}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

const fn digit(byte: u8) -> Option<u32> {
    match byte {
        b'a'..=b'z' => Some((byte - b'a') as u32),
        b'0'..=b'9' => Some((byte - b'0') as u32 + 26),
        _ => None,
    }
}

const fn adapted(delta: u32, count: u32, first: bool) -> u32 {
    let mut delta = if first { delta / DAMP } else { delta / 2 };
    delta += delta / count;
    let mut k = 0;
    while delta > ((BASE - LEAST) * MOST) / 2 {
        delta /= BASE - LEAST;
        k += BASE;
    }
    k + (BASE - LEAST + 1) * delta / (delta + SKEW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Names of RFC 3492 §7.1 and of attacks that were seen.
    #[test]
    fn known_names() {
        for (encoded, decoded) in [
            ("xn--bcher-kva.example", "bücher.example"),
            ("xn--80ak6aa92e.com", "аррӏе.com"),
            ("xn--uniswp-7nf.org", "uniswаp.org"),
            ("xn--ihqwcrb4cv8a8dqg056pqjye.example", "他们为什么不说中文.example"),
            ("xn--tdali-d8a8w.lv", "tūdaliņ.lv"),
            ("plain.example", "plain.example"),
            ("xn--.example", ".example"),
            ("xn--a-!.example", "xn--a-!.example"),
            ("xn--99999999999.example", "xn--99999999999.example"),
        ] {
            assert_eq!(decoded_host(encoded), decoded, "{encoded}");
        }
    }

    proptest! {
        #[test]
        fn any_label_is_decoded_or_kept(label in "(xn--)?[a-z0-9-]{0,63}") {
            let host = format!("{label}.example");
            let decoded = decoded_host(&host);
            prop_assert!(decoded.ends_with(".example"));
            prop_assert!(is_encoded(&host) || decoded == host);
        }
    }
}

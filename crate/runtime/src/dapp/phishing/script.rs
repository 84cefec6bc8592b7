//! Letters that look like others: which script a letter is of, and which Latin letter a reader takes it for.
//!
//! A small part of Unicode's tables (UTS 39 `confusables.txt`, UAX 24), for the scripts that names of hosts are forged with.

/// Scripts that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Hebrew,
    Arabic,
    Cherokee,
    /// Han, Hiragana, Katakana, Bopomofo and Hangul are written together.
    EastAsian,
    Other,
}

/// `None` for digits, hyphens and marks, which are of every script.
const fn script(letter: char) -> Option<Script> {
    Some(match letter as u32 {
        0x41..=0x5a | 0x61..=0x7a | 0xaa | 0xba | 0xc0..=0xd6 | 0xd8..=0xf6 | 0xf8..=0x2b8 => Script::Latin,
        0x1e00..=0x1eff | 0x2c60..=0x2c7f | 0xa720..=0xa7ff | 0xab30..=0xab6f | 0xff21..=0xff5a => {
            Script::Latin
        }
        0x370..=0x3ff | 0x1f00..=0x1fff => Script::Greek,
        0x400..=0x52f | 0x1c80..=0x1c8f | 0x2de0..=0x2dff | 0xa640..=0xa69f => Script::Cyrillic,
        0x530..=0x58f => Script::Armenian,
        0x590..=0x5ff => Script::Hebrew,
        0x600..=0x6ff | 0x750..=0x77f => Script::Arabic,
        0x13a0..=0x13ff | 0xab70..=0xabbf => Script::Cherokee,
        0x1100..=0x11ff | 0x2e80..=0x2fdf | 0x3005..=0x3007 | 0x3021..=0x30ff | 0x3100..=0x318f => {
            Script::EastAsian
        }
        0x31a0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff => {
            Script::EastAsian
        }
        0x20000..=0x3ffff => Script::EastAsian,
        0x30..=0x39 | 0x2d | 0x2e | 0x5f | 0xb7 | 0x300..=0x36f | 0x2b9..=0x2ff => return None,
        _ => Script::Other,
    })
}

/// Whether a label mixes scripts in a way that no language does. Latin beside East Asian letters is usual.
pub(super) fn mixes_scripts(host: &str) -> bool {
    host.split('.').any(|label| {
        let mut found: Option<Script> = None;
        label.chars().filter_map(script).any(|script| match found {
            Some(Script::Latin) if script == Script::EastAsian => {
                found = Some(script);
                false
            }
            Some(Script::EastAsian) if script == Script::Latin => false,
            Some(one) => one != script,
            None => {
                found = Some(script);
                false
            }
        })
    })
}

/// What a reader sees: every letter replaced by the Latin one that it is taken for, and pairs that read as one letter by
/// that letter. Names that a reader confuses have the same skeleton.
pub(super) fn skeleton(name: &str) -> String {
    let plain: String = name.chars().filter_map(taken_for).collect();
    // An `l` is an `i` here already.
    plain.replace("rn", "m").replace("vv", "w").replace("ci", "d")
}

/// The letter that one is taken for; nothing for what is hardly seen.
fn taken_for(letter: char) -> Option<char> {
    const TAKEN: &[(char, &str)] = &[
        ('a', "аạąàáâãäåāăǎαɑ@ａ"),
        ('b', "ьЬƄḃɓｂ"),
        ('c', "сϲçćčĉċｃ"),
        ('d', "ԁđďɖɗḍｄ"),
        ('e', "еёєҽęèéêëēĕėěẹεｅ"),
        ('f', "ƒḟғｆ"),
        ('g', "ɡġğĝģǧց9ｇ"),
        ('h', "һհħĥḥｈ"),
        ('i', "іїìíîïīĭįıịɩιӏ1lļłĺľⅼ|!ｉｌǐ"),
        ('j', "јϳĵｊ"),
        ('k', "кκķǩｋ"),
        ('m', "мṃｍ"),
        ('n', "пոńņňñηɴｎṇ"),
        ('o', "оοσøòóôõöōŏőơọ0օｏǒ"),
        ('p', "рρþｐ"),
        ('q', "ԛգզｑ"),
        ('r', "гŕŗřɍｒṛ"),
        ('s', "ѕśŝşšșṣ5ｓ"),
        ('t', "тτţťŧțｔṭ"),
        ('u', "սυùúûüūŭůűųụцｕǔ"),
        ('v', "νѵṽｖ"),
        ('w', "ԝшωŵẁẃẅɯｗ"),
        ('x', "хχ×ҳｘ"),
        ('y', "уγýÿŷỳｙ"),
        ('z', "zźżžʐ2ｚẓ"),
    ];
    match letter {
        '-' | '_' | '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{ad}' => None,
        _ => {
            let lower = letter.to_lowercase().next().unwrap_or(letter);
            let found = TAKEN.iter().find(|(_, forms)| forms.contains(lower));
            Some(found.map_or(lower, |(latin, _)| *latin))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forged_names_have_the_skeleton_of_the_true_one() {
        for (forged, name) in [
            ("unisωap", "uniswap"),
            ("uniswаp", "uniswap"),
            ("un1swap", "uniswap"),
            ("uni-swap", "uniswap"),
            ("univvap", "uniwap"),
            ("opensеа", "opensea"),
            ("аррӏе", "apple"),
            ("rnetamask", "metamask"),
            ("c0wswap", "cowswap"),
            ("bücher", "bucher"),
            ("clydx", "dydx"),
        ] {
            assert_eq!(skeleton(forged), skeleton(name), "{forged}");
        }
        assert_ne!(skeleton("uniswap"), skeleton("sushiswap"));
    }

    #[test]
    fn scripts_that_no_language_mixes() {
        for mixed in ["uniswаp.org", "αpple.com", "xβ.example", "日本а.example"] {
            assert!(mixes_scripts(mixed), "{mixed}");
        }
        for plain in [
            "uniswap.org",
            "аррӏе.com",
            "bücher.example",
            "日本tokyo.example",
            "ひらがな漢字.example",
            "a-1.example",
        ] {
            assert!(!mixes_scripts(plain), "{plain}");
        }
    }
}

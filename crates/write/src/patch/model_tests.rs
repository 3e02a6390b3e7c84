//! Many patches against a model that knows nothing of the code: a file as a row of characters, each with the bytes that it
//! stands for.

use super::{PatchError, PatchSpec, apply};

/// How many patches are tried, unless `ENGROSS_WRITE_PATCHES` says another number.
const PATCHES: usize = 12_000;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// A character, a line end of any sort being one, and its bytes.
type Unit = (char, String);

fn units(text: &str) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    for character in text.chars() {
        match units.last_mut() {
            Some(last) if character == '\n' && last.0 == '\r' => *last = ('\n', "\r\n".to_owned()),
            _ => units.push((character, character.to_string())),
        }
    }
    units
}

fn plain(units: &[Unit]) -> String {
    units.iter().map(|unit| unit.0).collect()
}

fn bytes(units: &[Unit]) -> String {
    units.iter().map(|unit| unit.1.as_str()).collect()
}

/// The line end of most lines.
fn style(units: &[Unit]) -> Option<&'static str> {
    let lines = units.iter().filter(|unit| unit.0 == '\n').count();
    let pairs = units.iter().filter(|unit| unit.1 == "\r\n").count();
    match lines {
        0 => None,
        _ if pairs * 2 > lines => Some("\r\n"),
        _ => Some("\n"),
    }
}

fn dressed(body: &str, style: Option<&str>) -> Vec<Unit> {
    let mut body = units(body.trim_start_matches('\u{feff}'));
    if let Some(style) = style {
        body.iter_mut().filter(|unit| unit.0 == '\n').for_each(|unit| unit.1 = style.to_owned());
    }
    body
}

/// Where the lines of `units` begin, and where the last one ends.
fn lines(units: &[Unit]) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(units.iter().enumerate().filter(|(_, unit)| unit.0 == '\n').map(|(at, _)| at + 1));
    if units.last().is_some_and(|last| last.0 != '\n') {
        starts.push(units.len());
    }
    starts
}

/// The file that a careful reader of the patch expects; nothing where it cannot be applied.
fn expected(base: &str, body: &str, spec: &PatchSpec) -> Option<String> {
    let (mark, text) = base.strip_prefix('\u{feff}').map_or(("", base), |text| ("\u{feff}", text));
    let file = units(text);
    let style = style(&file);
    let body = dressed(body, style);
    let starts = lines(&file);
    let whole_lines = |from: usize, to: usize| {
        let (from, to) = (*starts.get(from)?, *starts.get(to)?);
        let (before, after) = (&file[..from], &file[to..]);
        let own = if style.is_none() && body.iter().any(|unit| unit.1 == "\r\n") {
            "\r\n"
        } else {
            style.unwrap_or("\n")
        };
        let mut new = bytes(before);
        if !body.is_empty() && before.last().is_some_and(|last| last.0 != '\n') {
            new.push_str(own);
        }
        new.push_str(&bytes(&body));
        if !after.is_empty() && body.last().is_some_and(|last| last.0 != '\n') {
            new.push_str(own);
        }
        Some(format!("{new}{}", bytes(after)))
    };
    let at = |line: u64| usize::try_from(line).unwrap();
    let in_place = |found: &[Unit]| {
        let mut body = body.clone();
        let ends = found.last().is_some_and(|last| last.0 == '\n');
        match (ends, body.last().map(|last| last.0 == '\n')) {
            (true, Some(false)) => body.push(('\n', style.unwrap_or("\n").to_owned())),
            (false, Some(true)) => _ = body.pop(),
            _ => {}
        }
        bytes(&body)
    };
    let spliced = |places: &[(usize, usize)]| {
        let (mut new, mut from) = (String::new(), 0);
        for (start, end) in places {
            new.push_str(&bytes(&file[from..*start]));
            new.push_str(&in_place(&file[*start..*end]));
            from = *end;
        }
        new + &bytes(&file[from..])
    };
    let new = match spec {
        PatchSpec::Prepend => whole_lines(0, 0)?,
        PatchSpec::InsertAfterLine { line } => whole_lines(at(*line), at(*line))?,
        PatchSpec::InsertBeforeLine { line } => whole_lines(at(*line).checked_sub(1)?, at(*line) - 1)?,
        PatchSpec::ReplaceLines { start_line, end_line } if start_line <= end_line => {
            whole_lines(at(*start_line).checked_sub(1)?, at(*end_line))?
        }
        PatchSpec::ReplaceLines { .. } => return None,
        PatchSpec::ReplaceText { find } => {
            let find: Vec<char> = units(find).iter().map(|unit| unit.0).collect();
            let all: Vec<char> = file.iter().map(|unit| unit.0).collect();
            let mut places = (0..all.len()).filter(|at| !find.is_empty() && all[*at..].starts_with(&find));
            let (place, None) = (places.next()?, places.next()) else { return None };
            spliced(&[(place, place + find.len())])
        }
        PatchSpec::ReplacePattern { pattern, flags } => {
            let inline: String = flags.chars().filter(|flag| *flag != 'g').collect();
            let inline = if inline.is_empty() { String::new() } else { format!("(?{inline})") };
            let regex = regex::Regex::new(&format!("{inline}{pattern}")).ok()?;
            let text = plain(&file);
            let place = |found: regex::Match<'_>| {
                (text[..found.start()].chars().count(), text[..found.end()].chars().count())
            };
            let places: Vec<(usize, usize)> = regex.find_iter(&text).map(place).collect();
            let is_one = places.len() == 1 || (flags.contains('g') && !places.is_empty());
            if !is_one || places.iter().any(|(start, end)| start == end) {
                return None;
            }
            spliced(&places)
        }
    };
    Some(format!("{mark}{new}"))
}

fn text(random: &mut Random, most: usize) -> String {
    let ends = [["\n", "\n"], ["\r\n", "\r\n"], ["\n", "\r\n"]][random.below(3)];
    let mut text = if random.below(8) == 0 { "\u{feff}".to_owned() } else { String::new() };
    for _ in 0..random.below(most) {
        text.push_str(random.of(&["key = 1", "other = 22", "né € 漢", "", "  x", "a\rb", "[24]", "key = 1"]));
        text.push_str(ends[random.below(2)]);
    }
    if random.below(3) == 0 {
        text.push_str(random.of(&["last", "key = 7", ""]));
    }
    text
}

fn spec(random: &mut Random, base: &str) -> PatchSpec {
    let number = |random: &mut Random| random.below(8) as u64;
    match random.below(6) {
        0 => PatchSpec::Prepend,
        1 => PatchSpec::InsertAfterLine { line: number(random) },
        2 => PatchSpec::InsertBeforeLine { line: number(random) },
        3 => {
            let start_line = number(random);
            PatchSpec::ReplaceLines { start_line, end_line: start_line + random.below(3) as u64 }
        }
        4 => {
            let from = base.floor_char_boundary(random.below(base.len() + 1));
            let to = base.floor_char_boundary((from + 1 + random.below(14)).min(base.len())).max(from);
            let quoted = base[from..to].trim_start_matches('\u{feff}');
            // Half of what is quoted has other line ends than the file.
            let find = if random.below(2) == 0 { quoted.replace("\r\n", "\n") } else { quoted.to_owned() };
            // Half a line end is no quotation.
            PatchSpec::ReplaceText { find: find.trim_matches('\r').to_owned() }
        }
        _ => {
            let pattern = random.of(&[
                "key.*",
                "key.*\n",
                "^key = .*$",
                "1$",
                "other.*",
                "[24]\n",
                "\n\n",
                "\\d+",
                "n. €",
                "^$\n",
                "x\n",
                "key.*other",
                "\\[24\\]\n",
                "last$",
            ]);
            let flags = random.of(&["", "g", "m", "gm", "s", "gs", "i", "gim"]);
            PatchSpec::ReplacePattern { pattern: pattern.to_owned(), flags: flags.to_owned() }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "how much is tried")]
fn patches() -> usize {
    std::env::var("ENGROSS_WRITE_PATCHES").ok().and_then(|number| number.parse().ok()).unwrap_or(PATCHES)
}

#[test]
fn patches_are_those_of_a_careful_reader() {
    let mut random = Random(0x5EED);
    let mut applied = 0;
    let patches = patches();
    for _ in 0..patches {
        let (base, body) = (text(&mut random, 8), text(&mut random, 4));
        let spec = spec(&mut random, &base);
        let got =
            apply(base.as_bytes(), body.as_bytes(), &spec).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(
            got.as_ref().ok(),
            expected(&base, &body, &spec).as_ref(),
            "{base:?} {body:?} {spec:?} {got:?}"
        );
        applied += usize::from(got.is_ok());
    }
    assert!(applied > patches / 3, "{applied}");
}

#[test]
fn what_is_not_utf8_is_not_patched() {
    let utf16 = [0xFF, 0xFE, b'a', 0, b'\n', 0];
    for base in [utf16.as_slice(), b"caf\xE9\n"] {
        for spec in [PatchSpec::Prepend, PatchSpec::ReplaceLines { start_line: 1, end_line: 1 }] {
            assert!(matches!(apply(base, b"x\n", &spec), Err(PatchError::Encoding { .. })), "{base:?}");
        }
    }
    let halves = PatchSpec::ReplacePattern { pattern: "(?-u:\\xC3)".to_owned(), flags: String::new() };
    assert!(matches!(apply("né\n".as_bytes(), b"x", &halves), Err(PatchError::Invalid { .. })));
}

#[test]
fn numbers_may_come_as_text() {
    let spec: PatchSpec = serde_json::from_str(r#"{"type":"insert_after_line","line":"1"}"#).unwrap();
    assert_eq!(spec, PatchSpec::InsertAfterLine { line: 1 });
}

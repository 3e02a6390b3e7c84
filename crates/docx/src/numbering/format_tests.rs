use proptest::prelude::*;

use super::NumberFormat;

const ALL: &[(&str, NumberFormat)] = &[
    ("decimal", NumberFormat::Decimal),
    ("decimalZero", NumberFormat::DecimalZero),
    ("upperRoman", NumberFormat::UpperRoman),
    ("lowerRoman", NumberFormat::LowerRoman),
    ("upperLetter", NumberFormat::UpperLetter),
    ("lowerLetter", NumberFormat::LowerLetter),
    ("ordinal", NumberFormat::Ordinal),
    ("cardinalText", NumberFormat::CardinalText),
    ("ordinalText", NumberFormat::OrdinalText),
    ("hex", NumberFormat::Hex),
    ("chicago", NumberFormat::Chicago),
    ("bullet", NumberFormat::Bullet),
    ("none", NumberFormat::None),
    ("decimalEnclosedCircle", NumberFormat::Other),
    ("ideographDigital", NumberFormat::Other),
    ("", NumberFormat::Other),
];

#[test]
fn shows_numbers_as_word_does() {
    for (value, number, expected) in [
        ("decimal", 12, "12"),
        ("decimalZero", 9, "09"),
        ("decimalZero", 10, "10"),
        ("upperRoman", 1994, "MCMXCIV"),
        ("lowerRoman", 4, "iv"),
        ("upperRoman", 4000, "MMMM"),
        ("upperLetter", 3, "C"),
        ("lowerLetter", 26, "z"),
        ("lowerLetter", 27, "aa"),
        ("lowerLetter", 28, "bb"),
        ("lowerLetter", 53, "aaa"),
        ("ordinal", 1, "1st"),
        ("ordinal", 2, "2nd"),
        ("ordinal", 3, "3rd"),
        ("ordinal", 11, "11th"),
        ("ordinal", 112, "112th"),
        ("ordinal", 123, "123rd"),
        ("cardinalText", 1, "One"),
        ("cardinalText", 21, "Twenty-one"),
        ("cardinalText", 100, "One hundred"),
        ("cardinalText", 12_345, "Twelve thousand three hundred forty-five"),
        ("cardinalText", 0, "Zero"),
        ("ordinalText", 1, "First"),
        ("ordinalText", 12, "Twelfth"),
        ("ordinalText", 20, "Twentieth"),
        ("ordinalText", 25, "Twenty-fifth"),
        ("ordinalText", 1000, "One thousandth"),
        ("hex", 255, "FF"),
        ("chicago", 4, "§"),
        ("chicago", 6, "††"),
        ("bullet", 4, ""),
        ("none", 4, ""),
        ("decimalEnclosedCircle", 4, "4"),
        ("ideographTraditional", 4, "4"),
    ] {
        assert_eq!(NumberFormat::parse(value, None).show(number), expected, "{value} {number}");
    }
}

#[test]
fn shows_what_a_format_cannot_show_in_decimal() {
    for (value, number) in [
        ("upperRoman", 0),
        ("lowerRoman", 32_768),
        ("lowerRoman", i64::MAX),
        ("upperLetter", -1),
        ("lowerLetter", 781),
        ("chicago", 121),
        ("cardinalText", 1_000_000),
        ("ordinalText", -3),
        ("ordinal", i64::MIN),
        ("hex", -255),
        ("decimalZero", -1),
    ] {
        assert_eq!(NumberFormat::parse(value, None).show(number), number.to_string(), "{value} {number}");
    }
}

#[test]
fn reads_the_patterns_of_word_2010() {
    for (pattern, number, expected) in [
        ("001, 002, 003, ...", 7, "007"),
        ("0001, 0002, 0003, ...", 12_345, "12345"),
        ("00001, 00002, 00003, ...", 42, "00042"),
        ("a, ç, ĝ, ...", 2, "2"),
        ("1, 2, 3", 2, "2"),
        ("0000000000000001", 2, "2"),
        ("", 2, "2"),
    ] {
        assert_eq!(NumberFormat::parse("custom", Some(pattern)).show(number), expected, "{pattern}");
    }
}

#[test]
fn every_number_from_1_to_400_can_be_read_back() {
    for (value, format) in ALL {
        assert_eq!(NumberFormat::parse(value, None), *format);
        if matches!(format, NumberFormat::Bullet | NumberFormat::None) {
            continue;
        }
        let limit = if *format == NumberFormat::Chicago { 120 } else { 400 };
        for number in 1..=limit {
            let shown = format.show(number);
            assert_eq!(read(*format, &shown), Some(number), "{value} {number} {shown}");
        }
    }
}

/// The inverse of [`NumberFormat::show`], written without looking at it.
fn read(format: NumberFormat, text: &str) -> Option<i64> {
    let upper = text.to_uppercase();
    match format {
        NumberFormat::UpperRoman | NumberFormat::LowerRoman => {
            let values = upper.chars().map(|c| match c {
                'I' => 1,
                'V' => 5,
                'X' => 10,
                'L' => 50,
                'C' => 100,
                _ => 500,
            });
            let values: Vec<i64> = values.collect();
            let signed = values.iter().enumerate().map(|(at, value)| {
                if values.get(at + 1).is_some_and(|next| next > value) { -value } else { *value }
            });
            Some(signed.sum())
        }
        NumberFormat::UpperLetter | NumberFormat::LowerLetter => {
            let first = upper.chars().next()?;
            assert!(upper.chars().all(|c| c == first));
            Some((upper.len() as i64 - 1) * 26 + i64::from(first as u32 - 'A' as u32) + 1)
        }
        NumberFormat::Chicago => {
            let first = text.chars().next()?;
            let place = "*†‡§".chars().position(|c| c == first)? as i64;
            Some((text.chars().count() as i64 - 1) * 4 + place + 1)
        }
        NumberFormat::Ordinal => text.trim_end_matches(char::is_alphabetic).parse().ok(),
        NumberFormat::Hex => i64::from_str_radix(text, 16).ok(),
        NumberFormat::CardinalText | NumberFormat::OrdinalText => words(&upper),
        _ => text.parse().ok(),
    }
}

fn words(text: &str) -> Option<i64> {
    let mut total = 0;
    for word in text.split([' ', '-']) {
        let stems = [
            ("SEVENTEEN", 17),
            ("THIRTEEN", 13),
            ("FOURTEEN", 14),
            ("EIGHTEEN", 18),
            ("NINETEEN", 19),
            ("FIFTEEN", 15),
            ("SIXTEEN", 16),
            ("ELEVEN", 11),
            ("TWELF", 12),
            ("TWELVE", 12),
            ("TWENT", 20),
            ("THIRT", 30),
            ("FORT", 40),
            ("FIFTI", 50),
            ("FIFTY", 50),
            ("SIXT", 60),
            ("SEVENT", 70),
            ("EIGHTI", 80),
            ("EIGHTY", 80),
            ("NINETI", 90),
            ("NINETY", 90),
            ("HUNDRED", -100),
            ("ONE", 1),
            ("FIRST", 1),
            ("TWO", 2),
            ("SECOND", 2),
            ("THREE", 3),
            ("THIRD", 3),
            ("FOUR", 4),
            ("FIVE", 5),
            ("FIFTH", 5),
            ("SIX", 6),
            ("SEVEN", 7),
            ("EIGHT", 8),
            ("NIN", 9),
            ("TEN", 10),
        ];
        // "Sixth" and "seventh" begin like the tens.
        let value = match word {
            "SIXTH" => 6,
            "SEVENTH" => 7,
            _ => stems.iter().find(|(stem, _)| word.starts_with(stem))?.1,
        };
        total = if value == -100 { total * 100 } else { total + value };
    }
    Some(total)
}

proptest! {
    #[test]
    fn never_fails(number in any::<i64>(), format in 0..ALL.len(), pattern in ".{0,20}") {
        let shown = ALL[format].1.show(number);
        prop_assert!(shown.chars().count() < 100);
        prop_assert!(!NumberFormat::parse("custom", Some(&pattern)).show(number).is_empty());
    }
}

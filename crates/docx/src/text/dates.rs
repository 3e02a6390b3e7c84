//! Dates as a person gives them, and as a picture such as `d MMMM yyyy` writes them (ISO/IEC 29500-1 §17.16.4.1).
//!
//! Must never ask the clock, nor guess which of two numbers is the month.

/// A day, with a time if one was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    pub year: u16,
    pub month: u8,
    pub day: u8,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
}

/// Names of months and days, from January and Sunday on, long and short.
struct Names {
    language: &'static str,
    months: [&'static str; 12],
    short_months: [&'static str; 12],
    days: [&'static str; 7],
    short_days: [&'static str; 7],
}

const NAMES: &[Names] = &[
    Names {
        language: "en",
        months: [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ],
        short_months: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
        days: ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
        short_days: ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"],
    },
    Names {
        language: "de",
        months: [
            "Januar",
            "Februar",
            "März",
            "April",
            "Mai",
            "Juni",
            "Juli",
            "August",
            "September",
            "Oktober",
            "November",
            "Dezember",
        ],
        short_months: ["Jan", "Feb", "Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"],
        days: ["Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"],
        short_days: ["So", "Mo", "Di", "Mi", "Do", "Fr", "Sa"],
    },
    Names {
        language: "fr",
        months: [
            "janvier",
            "février",
            "mars",
            "avril",
            "mai",
            "juin",
            "juillet",
            "août",
            "septembre",
            "octobre",
            "novembre",
            "décembre",
        ],
        short_months: [
            "janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc.",
        ],
        days: ["dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"],
        short_days: ["dim.", "lun.", "mar.", "mer.", "jeu.", "ven.", "sam."],
    },
    Names {
        language: "es",
        months: [
            "enero",
            "febrero",
            "marzo",
            "abril",
            "mayo",
            "junio",
            "julio",
            "agosto",
            "septiembre",
            "octubre",
            "noviembre",
            "diciembre",
        ],
        short_months: ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"],
        days: ["domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"],
        short_days: ["do", "lu", "ma", "mi", "ju", "vi", "sá"],
    },
    Names {
        language: "it",
        months: [
            "gennaio",
            "febbraio",
            "marzo",
            "aprile",
            "maggio",
            "giugno",
            "luglio",
            "agosto",
            "settembre",
            "ottobre",
            "novembre",
            "dicembre",
        ],
        short_months: ["gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"],
        days: ["domenica", "lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato"],
        short_days: ["dom", "lun", "mar", "mer", "gio", "ven", "sab"],
    },
    Names {
        language: "nl",
        months: [
            "januari",
            "februari",
            "maart",
            "april",
            "mei",
            "juni",
            "juli",
            "augustus",
            "september",
            "oktober",
            "november",
            "december",
        ],
        short_months: ["jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec"],
        days: ["zondag", "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag"],
        short_days: ["zo", "ma", "di", "wo", "do", "vr", "za"],
    },
    Names {
        language: "pt",
        months: [
            "janeiro",
            "fevereiro",
            "março",
            "abril",
            "maio",
            "junho",
            "julho",
            "agosto",
            "setembro",
            "outubro",
            "novembro",
            "dezembro",
        ],
        short_months: ["jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"],
        days: [
            "domingo",
            "segunda-feira",
            "terça-feira",
            "quarta-feira",
            "quinta-feira",
            "sexta-feira",
            "sábado",
        ],
        short_days: ["dom", "seg", "ter", "qua", "qui", "sex", "sáb"],
    },
];

impl Date {
    /// Reads `2026-02-28`, or that with a time: `2026-02-28T09:30:00Z`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (date, time) =
            text.split_once(['T', ' ']).map_or((text, None), |(date, time)| (date, Some(time)));
        let mut parts = date.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || [year.len(), month.len(), day.len()] != [4, 2, 2] {
            return None;
        }
        let mut read = Self {
            year: number(year)?,
            month: small(month)?,
            day: small(day)?,
            hour: 0,
            minute: 0,
            second: 0,
        };
        if let Some(time) = time {
            let time = time.strip_suffix('Z').unwrap_or(time);
            let mut parts = time.split(':');
            read.hour = small(parts.next()?)?;
            read.minute = small(parts.next()?)?;
            read.second = parts.next().map_or(Some(0), |seconds| small(seconds.split('.').next()?))?;
            if parts.next().is_some() || read.hour > 23 || read.minute > 59 || read.second > 59 {
                return None;
            }
        }
        (read.year > 0 && (1..=12).contains(&read.month) && (1..=read.days_of_month()).contains(&read.day))
            .then_some(read)
    }

    fn days_of_month(self) -> u8 {
        let leap =
            self.year.is_multiple_of(4) && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        match self.month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    /// `2026-02-28`.
    #[must_use]
    pub fn day_of_calendar(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }

    /// `2026-02-28T00:00:00`.
    #[must_use]
    pub fn with_time(self) -> String {
        format!("{}T{:02}:{:02}:{:02}", self.day_of_calendar(), self.hour, self.minute, self.second)
    }

    /// Day of the week, 0 for Sunday (Sakamoto's way).
    fn weekday(self) -> usize {
        const SHIFTS: [usize; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
        let month = usize::from(self.month);
        let year = usize::from(self.year) - usize::from(month < 3);
        let shift = SHIFTS.get(month.saturating_sub(1)).copied().unwrap_or_default();
        (year + year / 4 - year / 100 + year / 400 + shift + usize::from(self.day)) % 7
    }

    /// The date as a picture writes it in a language, such as `en-GB`. Nothing when the picture asks for names that are not known
    /// in that language, or for something that is no date.
    #[must_use]
    pub fn written(self, picture: &str, language: &str) -> Option<String> {
        let primary = language.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        let names = NAMES.iter().find(|names| names.language == primary);
        let has_half_days = picture.contains("AM/PM") || picture.contains("am/pm");
        let mut out = String::new();
        let mut rest = picture;
        while let Some(c) = rest.chars().next() {
            if c == '\'' {
                let inner = rest.get(1..)?;
                let end = inner.find('\'')?;
                out.push_str(inner.get(..end)?);
                rest = inner.get(end + 1..)?;
                continue;
            }
            if let Some(after) = rest.strip_prefix("AM/PM").or_else(|| rest.strip_prefix("am/pm")) {
                out.push_str(if self.hour < 12 { "AM" } else { "PM" });
                rest = after;
                continue;
            }
            if !matches!(c, 'd' | 'D' | 'M' | 'y' | 'Y' | 'h' | 'H' | 'm' | 's' | 'S') {
                if c.is_alphabetic() {
                    return None;
                }
                out.push(c);
                rest = rest.get(c.len_utf8()..)?;
                continue;
            }
            let count = rest.chars().take_while(|other| *other == c).count();
            rest = rest.get(count..)?;
            let hour = if has_half_days || c == 'h' { (self.hour + 11) % 12 + 1 } else { self.hour };
            let named = |list: fn(&Names) -> &[&'static str], at: usize| {
                names.and_then(|names| list(names).get(at)).map(|name| (*name).to_owned())
            };
            let month = usize::from(self.month).saturating_sub(1);
            let part = match (c, count) {
                ('d' | 'D', 1) => self.day.to_string(),
                ('d' | 'D', 2) => format!("{:02}", self.day),
                ('d' | 'D', 3) => named(|names| &names.short_days, self.weekday())?,
                ('d' | 'D', _) => named(|names| &names.days, self.weekday())?,
                ('M', 1) => self.month.to_string(),
                ('M', 2) => format!("{:02}", self.month),
                ('M', 3) => named(|names| &names.short_months, month)?,
                ('M', _) => named(|names| &names.months, month)?,
                ('y' | 'Y', 1 | 2) => format!("{:02}", self.year % 100),
                ('y' | 'Y', _) => format!("{:04}", self.year),
                ('h' | 'H', 1) => hour.to_string(),
                ('h' | 'H', _) => format!("{hour:02}"),
                ('m', 1) => self.minute.to_string(),
                ('m', _) => format!("{:02}", self.minute),
                (_, 1) => self.second.to_string(),
                _ => format!("{:02}", self.second),
            };
            out.push_str(&part);
        }
        Some(out)
    }
}

fn number(text: &str) -> Option<u16> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn small(text: &str) -> Option<u8> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

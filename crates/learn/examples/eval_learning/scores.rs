//! Does the score rank skills by their true worth, do early lessons stay, and is the right skill shown?

use engross_learn::safety::doubts;
use engross_learn::skillbook::journal::Record;
use engross_learn::skillbook::render::{RecallQuery, choose, rank};
use engross_learn::skillbook::{
    Author, Book, Observation, SettleContext, Skill, SkillOperation, SkillStatus, Vote, score, settle,
};

use super::chance::Chance;

pub fn run() -> String {
    let mut text = votes();
    text.push_str(&early());
    text.push_str(&retrieval());
    text
}

fn skill(number: usize, content: String) -> Skill {
    Skill {
        id: format!("s-{number:05}"),
        section: "s".to_owned(),
        content,
        status: SkillStatus::Active,
        ..Skill::default()
    }
}

/// Kendall's tau between true worths and a ranking.
fn tau(truth: &[f64], ranking: &[f64]) -> f64 {
    let (mut agree, mut all) = (0.0, 0.0);
    for one in 0..truth.len() {
        for other in one + 1..truth.len() {
            let sign = (truth[one] - truth[other]) * (ranking[one] - ranking[other]);
            agree += if sign > 0.0 {
                1.0
            } else if sign < 0.0 {
                -1.0
            } else {
                0.0
            };
            all += 1.0;
        }
    }
    agree / all
}

fn votes() -> String {
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for seed in 1..=30 {
        let mut chance = Chance::new(seed);
        let (mut truth, mut scores, mut differences) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..60 {
            let worth = chance.share();
            let mut skill = skill(number, format!("lesson {number}"));
            // Some skills are used much more often than others.
            let uses = 1 + chance.below(if number % 3 == 0 { 60 } else { 8 });
            for use_number in 0..uses {
                let helped = chance.share() < worth;
                let vote =
                    Vote { helpful: u32::from(helped), harmful: u32::from(!helped), neutral: 0, at: 1 };
                skill.votes.insert(format!("t{use_number}"), vote);
            }
            let total = skill.total();
            truth.push(worth);
            scores.push(score(&skill, 1));
            differences.push(f64::from(total.helpful) - f64::from(total.harmful));
        }
        ours.push(tau(&truth, &scores));
        plain.push(tau(&truth, &differences));
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / 30.0;
    format!(
        "## Votes\n\nSixty skills of known worth, used between 1 and 60 times; Kendall's tau between worth and rank, mean of 30 seeds: the score \
         {:.3}, helpful minus harmful {:.3}.\n\n",
        mean(&ours),
        mean(&plain)
    )
}

fn early() -> String {
    let mut book = Book::default();
    let words =
        ["cursor", "filter", "branch", "export", "session", "schema", "upload", "archive", "index", "header"];
    let lesson = |number: usize| {
        format!(
            "Check part{number} of the {} in step{} before thing{}",
            words[number % 10],
            number / 10,
            number / 3
        )
    };
    for number in 0..1_000 {
        let trace = format!("t{number}");
        let context = SettleContext {
            by: Author::Learnt,
            trace: &trace,
            session: &trace,
            seen: Observation::unknown(),
            now: 1,
            doubts: &doubts,
        };
        let add = SkillOperation::Add {
            section: "s".to_owned(),
            content: lesson(number),
            id: None,
            justification: None,
            evidence: None,
            issue: None,
            keywords: Vec::new(),
        };
        for record in settle(&book, &add, &context).records {
            book.apply(record);
        }
    }
    let kept = (0..100).filter(|number| book.skills().any(|skill| skill.content == lesson(*number))).count();
    format!(
        "## No collapse\n\nAfter 1,000 further lessons, {kept} % of the first 100 stand in the book word for word.\n\n"
    )
}

/// What one can do, in words of a lesson and in others that a person may use for it.
const VERBS: [(&str, &str); 10] = [
    ("export", "exporting"),
    ("filter", "filtered"),
    ("merge", "merging"),
    ("render", "rendering"),
    ("validate", "validation"),
    ("archive", "archived"),
    ("schedule", "scheduling"),
    ("translate", "translating"),
    ("compress", "compressed"),
    ("index", "indexing"),
];
const THINGS: [(&str, &str); 10] = [
    ("invoices", "an invoice"),
    ("contacts", "the contact"),
    ("branches", "that branch"),
    ("reports", "a report"),
    ("calendars", "the calendar"),
    ("tickets", "one ticket"),
    ("photos", "pictures"),
    ("contracts", "agreements"),
    ("payments", "transfers"),
    ("sensors", "probes"),
];
const WAYS: [(&str, &str); 10] = [
    ("by cursor", "with cursors"),
    ("by date range", "for a range of dates"),
    ("in batches", "batch by batch"),
    ("with retries", "retrying"),
    ("in UTC", "at UTC"),
    ("by owner", "of each owner"),
    ("with checksums", "and its checksum"),
    ("by region", "for our region"),
    ("in order", "sorted"),
    ("by status", "of that status"),
];

/// Questions for each size of a book.
const QUESTIONS: usize = 500;

fn retrieval() -> String {
    let mut text = format!(
        "## Retrieval\n\n{QUESTIONS} questions, each of which one skill answers. They use other forms of its words, and in about half of the cases another word \
         (*pictures* for *photos*), which no count of words can see. From 1,000 skills on the book holds every combination of ten verbs, things and ways, so that one \
         word without its like leaves ten skills that fit equally well. The last column is what an agent would see within 500 tokens.\n\n\
         | skills | recall at 5 | mean reciprocal rank | among 500 tokens |\n|---:|---:|---:|---:|\n"
    );
    for size in [50usize, 1_000, 10_000] {
        let mut book = Book::default();
        for number in 0..size {
            let ((verb, _), (thing, _), (way, _)) = about(number);
            let content = format!("To {verb} {thing} {way}, look at field{} first", number / 1_000);
            book.apply(Record::Put(Box::new(skill(number, content))));
        }
        let mut chance = Chance::new(3);
        let (mut five, mut reciprocal, mut among) = (0.0, 0.0, 0.0);
        for _ in 0..QUESTIONS {
            let number = chance.below(size);
            let ((_, verb), (_, thing), (_, way)) = about(number);
            let question = format!("I am {verb} {thing} {way}, what about field{}?", number / 1_000);
            let id = format!("s-{number:05}");
            let ranked = rank(&book, &RecallQuery { query: Some(&question), tokens: 0, now: 1 });
            if let Some(place) = ranked.iter().position(|skill| skill.id == id) {
                five += f64::from(u8::from(place < 5));
                reciprocal += 1.0 / f64::from(u32::try_from(place + 1).unwrap_or(u32::MAX));
            }
            let shown = choose(&book, &RecallQuery { query: Some(&question), tokens: 500, now: 1 });
            among += f64::from(u8::from(shown.iter().any(|skill| skill.id == id)));
        }
        let all = f64::from(u32::try_from(QUESTIONS).unwrap_or(1));
        text.push_str(&format!(
            "| {size} | {:.3} | {:.3} | {:.3} |\n",
            five / all,
            reciprocal / all,
            among / all
        ));
    }
    text.push('\n');
    text
}

type Wording = (&'static str, &'static str);

fn about(number: usize) -> (Wording, Wording, Wording) {
    (VERBS[number % 10], THINGS[number / 10 % 10], WAYS[number / 100 % 10])
}

//! Does the score rank skills by their true worth, do early lessons stay, and is the right skill shown?

use engross_learn::safety::doubts;
use engross_learn::skillbook::journal::Record;
use engross_learn::skillbook::render::{Wanted, choose};
use engross_learn::skillbook::{Author, Book, Context, Operation, Skill, Status, Vote, score, settle};

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
        status: Status::Active,
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
        let context = Context { by: Author::Learnt, trace: &trace, session: &trace, now: 1, doubts: &doubts };
        let add = Operation::Add {
            section: "s".to_owned(),
            content: lesson(number),
            id: None,
            justification: None,
            evidence: None,
            issue: None,
            keywords: Vec::new(),
        };
        for record in settle(&book, &add, &context).records {
            book.take(record);
        }
    }
    let kept = (0..100).filter(|number| book.skills().any(|skill| skill.content == lesson(*number))).count();
    format!(
        "## No collapse\n\nAfter 1,000 further lessons, {kept} % of the first 100 stand in the book word for word.\n\n"
    )
}

fn retrieval() -> String {
    let verbs = [
        "export",
        "filter",
        "merge",
        "render",
        "validate",
        "archive",
        "schedule",
        "translate",
        "compress",
        "index",
    ];
    let things = [
        "invoices",
        "contacts",
        "branches",
        "reports",
        "calendars",
        "tickets",
        "photos",
        "contracts",
        "payments",
        "sensors",
    ];
    let ways = [
        "by cursor",
        "by date range",
        "in batches",
        "with retries",
        "in UTC",
        "by owner",
        "with checksums",
        "by region",
        "in order",
        "by status",
    ];
    let mut text = "## Retrieval\n\n500 questions of three words, each of which one skill answers; share of questions whose skill is among those shown.\n\n\
        | skills | 100 tokens | 500 tokens | 2,000 tokens |\n|---|---:|---:|---:|\n"
        .to_owned();
    for size in [50usize, 1_000, 10_000] {
        let mut book = Book::default();
        for number in 0..size {
            let (verb, thing, way) = (verbs[number % 10], things[number / 10 % 10], ways[number / 100 % 10]);
            let content = format!("To {verb} {thing} {way}, look at field{} first", number / 1_000);
            book.take(Record::Put(Box::new(skill(number, content))));
        }
        let mut chance = Chance::new(3);
        let questions: Vec<(usize, String)> = (0..if size > 1_000 { 100 } else { 500 })
            .map(|_| {
                let number = chance.below(size);
                let (verb, thing, way) =
                    (verbs[number % 10], things[number / 10 % 10], ways[number / 100 % 10]);
                (number, format!("please {verb} all {thing} {way} field{}", number / 1_000))
            })
            .collect();
        text.push_str(&format!("| {size} |"));
        for tokens in [100, 500, 2_000] {
            let hits = questions.iter().filter(|(number, question)| {
                let shown = choose(&book, &Wanted { query: Some(question), tokens, now: 1 });
                shown.iter().any(|skill| skill.id == format!("s-{number:05}"))
            });
            let share = f64::from(u32::try_from(hits.count()).unwrap_or(0))
                / f64::from(u32::try_from(questions.len()).unwrap_or(1));
            text.push_str(&format!(" {share:.3} |"));
        }
        text.push('\n');
    }
    text
}

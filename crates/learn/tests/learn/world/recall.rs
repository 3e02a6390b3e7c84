//! Thirty questions in other words, asked of a book in which ten lessons of the world stand among sixty of other work.

use engross_learn::skillbook::render::{RecallSituation, recall};
use engross_learn::skillbook::{Author, Book, Observation, SettleContext, SkillOperation, settle};

use super::lessons::{LESSONS, meaning};

/// Questions, with the lesson that helps and, for some, the tools that are on offer.
const QUESTIONS: [(usize, &str, &str); 30] = [
    (0, "Get me every unpaid invoice of Nordwind", "list_invoices send_mail"),
    (0, "How many bills are open this year?", "list_invoices"),
    (0, "Pull all invoices since January and sum them", ""),
    (1, "Write the quarterly report", ""),
    (1, "Where do I find the reports you generate?", ""),
    (1, "Create a report on the churn figures", ""),
    (2, "make test fails after I pulled", "exec"),
    (2, "Run the C tests with make", "exec"),
    (2, "The generated sources are stale, please test", "exec"),
    (3, "Which meetings are there on 3 May?", "calendar_search"),
    (3, "Is room B2 free tomorrow according to the calendar?", "calendar_search"),
    (3, "Search the calendar for the offsite", "calendar_search"),
    (4, "Fetch all orders of the shop, not only the first page", "list_orders"),
    (4, "How many orders came in last week?", "list_orders"),
    (4, "Go through the orders page by page", ""),
    (5, "Send the newsletter to all subscribers by mail", "send_mail"),
    (5, "Mail the minutes to the 45 recipients", ""),
    (5, "Inform every addressee of the list", "send_mail"),
    (6, "Commit what you have", ""),
    (6, "Please phrase a commit message for that", ""),
    (6, "Squash the commits and reword them in imperative form", ""),
    (7, "The pytest suite takes forever", "exec"),
    (7, "Run all python tests with pytest", "exec"),
    (7, "Execute pytest in parallel on the api folder", ""),
    (8, "Which port does production use?", "read"),
    (8, "Look up the prod configuration of the cache", "read"),
    (8, "Compare the settings of staging and production", ""),
    (9, "Load the CSV of the May export", "read_csv"),
    (9, "The umlauts of the csv are broken", "read_csv"),
    (9, "Sum the exports of June", "read_csv"),
];

/// Lessons of other work, made of parts.
fn others() -> Vec<String> {
    let deeds = [
        "Check",
        "Archive",
        "Rename",
        "Compress",
        "Translate",
        "Sign",
        "Print",
        "Measure",
        "Label",
        "Sketch",
    ];
    let things = [
        "the contract annexes",
        "the drawings",
        "old backups",
        "video subtitles",
        "customs papers",
        "the photo gallery",
    ];
    let ways = [
        "in the evening",
        "with two witnesses",
        "by colour",
        "against the index",
        "in landscape format",
        "under a new name",
    ];
    let pairs = deeds.iter().enumerate().flat_map(|(at, deed)| {
        things
            .iter()
            .enumerate()
            .map(move |(place, thing)| format!("{deed} {thing} {}", ways[(at + place) % ways.len()]))
    });
    pairs.collect()
}

fn book() -> Book {
    let mut book = Book::default();
    let own = LESSONS.iter().map(|lesson| lesson.words[0].to_owned());
    for content in own.chain(others()) {
        let add = SkillOperation::Add {
            section: "work".to_owned(),
            content,
            id: None,
            justification: None,
            evidence: None,
            issue: None,
            keywords: Vec::new(),
        };
        let context = SettleContext {
            by: Author::Person,
            trace: "p",
            session: "p",
            seen: Observation::unknown(),
            now: 1,
            doubts: &|_| Vec::new(),
        };
        for record in settle(&book, &add, &context).records {
            book.apply(record);
        }
    }
    book
}

#[test]
fn questions_in_other_words_find_their_lesson() {
    let book = book();
    let wanted = LESSONS.len() + others().len();
    let lost: Vec<String> = others()
        .into_iter()
        .filter(|other| book.skills().all(|skill| skill.content != *other))
        .map(|other| {
            format!(
                "{other} | {:?}",
                book.same(&other).map(|skill| skill.content.clone()).collect::<Vec<_>>()
            )
        })
        .collect();
    assert_eq!(book.skills().len(), wanted, "{lost:#?}");
    let (mut missed, mut foreign) = (Vec::new(), Vec::new());
    for (lesson, question, tools) in QUESTIONS {
        let situation = RecallSituation {
            asked: question.to_owned(),
            tools: tools.to_owned(),
            ..RecallSituation::default()
        };
        let shown = recall(&book, &situation, 100, 1);
        if !shown.iter().any(|skill| meaning(&skill.content) == Some(lesson)) {
            missed.push((question, shown.iter().map(|skill| skill.content.clone()).collect::<Vec<_>>()));
        }
        foreign.extend(
            shown.iter().filter(|skill| meaning(&skill.content).is_none()).map(|skill| skill.content.clone()),
        );
    }
    assert!(missed.len() <= 3, "{} missed: {missed:#?}", missed.len());
    assert!(foreign.len() <= 3, "{}: {foreign:#?}", foreign.len());
}

#[test]
fn a_short_answer_does_not_lose_what_it_is_about() {
    let book = book();
    let situation = RecallSituation {
        asked: "yes, go ahead".to_owned(),
        before: vec!["Please run the pytest suite".to_owned()],
        ..RecallSituation::default()
    };
    let shown = recall(&book, &situation, 100, 1);
    assert!(shown.iter().any(|skill| meaning(&skill.content) == Some(7)), "{shown:#?}");
}

#[test]
fn calls_under_way_bring_their_lessons() {
    let book = book();
    let situation = RecallSituation {
        asked: "Do what the list says".to_owned(),
        calls: r#"read_csv {"path":"x"}"#.to_owned(),
        ..RecallSituation::default()
    };
    let shown = recall(&book, &situation, 100, 1);
    assert!(shown.iter().any(|skill| meaning(&skill.content) == Some(9)), "{shown:#?}");
}

//! A thread at work, as a person sees it: what is going on stays at the bottom, what is over stays above.
//!
//! Must never send a terminal what an agent wrote as it is, or move a line where nobody looks on at a terminal.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use engross_artifacts::content_type;
use engross_documents::change::{printable, printable_lines};
use engross_threads::{FileOutcome, FileReport, Lifecycle, PlanStep, Progress, ThreadQuestion};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use crate::output::{note, print};

/// How often the lines at the bottom move.
const TICK: Duration = Duration::from_millis(120);

/// What a tool is called that has no title.
const UNNAMED: &str = "a tool";

/// Steps of a plan that are shown at once.
const STEPS: usize = 12;

/// How progress is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Telling {
    /// To a person, on standard error.
    Person,
    /// As lines of JSON on standard output.
    Lines,
    /// Not at all.
    Nobody,
}

/// What is shown of a thread at work.
pub(super) struct View {
    telling: Telling,
    moving: Option<MovingLines>,
    began: Instant,
    /// The uses of tools that are not over: since when, here and at the bridge, and what they are called.
    calls: BTreeMap<String, (Instant, Option<u64>, String)>,
    /// The piece of the answer whose line is not over.
    open_line: String,
    is_connected: bool,
    is_asking: bool,
    /// Whether the answer was shown as it came.
    pub(super) has_shown_answer: bool,
    has_said_begun: bool,
    plan: Vec<PlanStep>,
    /// What became of the files.
    pub(super) files: Vec<FileReport>,
}

/// The lines at the bottom.
struct MovingLines {
    all: MultiProgress,
    header: ProgressBar,
    plan: Vec<ProgressBar>,
    calls: BTreeMap<String, ProgressBar>,
}

impl View {
    /// Of a thread that `agent` works for, within `budget` milliseconds, of which `gone` are over.
    pub(super) fn new(telling: Telling, thread: &str, agent: &str, (gone, budget): (u64, u64)) -> Self {
        let gone = Duration::from_millis(gone);
        let is_terminal = std::io::stderr().is_terminal();
        let moving = (telling == Telling::Person && is_terminal)
            .then(|| MovingLines::new(thread, agent, (gone, budget)));
        Self {
            telling,
            moving,
            began: Instant::now().checked_sub(gone).unwrap_or_else(Instant::now),
            calls: BTreeMap::new(),
            open_line: String::new(),
            is_connected: true,
            is_asking: false,
            has_shown_answer: false,
            has_said_begun: false,
            plan: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Takes in what happened.
    pub(super) fn tell(&mut self, progress: &Progress) {
        if std::mem::take(&mut self.is_asking)
            && let Some(moving) = &self.moving
        {
            moving.header.set_message("");
            moving.all.set_draw_target(ProgressDrawTarget::stderr());
        }
        // That a server which answered answers again is no news.
        let is_news = !matches!(progress, Progress::Connected(now) if *now == self.is_connected);
        if self.telling == Telling::Lines && is_news {
            let _ = print(&format!("{}\n", as_json(progress)));
        }
        match progress {
            Progress::Text(text) => self.text(text),
            Progress::Status(status) => {
                // A session that goes on says so at each return.
                let is_beginning = status == "session started";
                if !(is_beginning && std::mem::replace(&mut self.has_said_begun, true)) {
                    self.line(status);
                }
            }
            Progress::State(Lifecycle::Queued) => self.line("waiting for a place"),
            Progress::State(_) | Progress::Permission(_) => {}
            Progress::Connected(is_connected) => {
                if std::mem::replace(&mut self.is_connected, *is_connected) != *is_connected {
                    let told = if *is_connected {
                        "the server is back"
                    } else {
                        "the server does not answer; asking again"
                    };
                    self.line(told);
                }
            }
            Progress::Plan(steps) => self.plan(steps),
            Progress::Tool { id, title, status, at } => self.tool(id, title, status, *at),
            Progress::File(file) => {
                if file.outcome == FileOutcome::Failed {
                    let why = file.message.as_deref().unwrap_or("it did not come");
                    // One line, whatever the name holds: it must not look like several.
                    self.line(&format!(
                        "✗ {} was not fetched: {}",
                        printable(&file.relative_path),
                        printable(why)
                    ));
                }
                self.files.push(file.clone());
            }
        }
    }

    /// Whole lines of the answer are shown as they come.
    fn text(&mut self, text: &str) {
        if self.telling != Telling::Person || !std::io::stderr().is_terminal() {
            return;
        }
        self.has_shown_answer = true;
        self.open_line.push_str(text);
        while let Some(end) = self.open_line.find('\n') {
            let line: String = self.open_line.drain(..=end).collect();
            self.above(&printable_lines(line.trim_end_matches('\n')));
        }
    }

    fn plan(&mut self, steps: &[PlanStep]) {
        let changed = steps
            .iter()
            .zip(&self.plan)
            .filter(|(new, old)| new.status != old.status && new.status == "completed");
        let done: Vec<String> = changed.map(|(step, _)| step.content.clone()).collect();
        steps.clone_into(&mut self.plan);
        match &mut self.moving {
            Some(moving) => moving.plan(steps),
            None => done.iter().for_each(|step| self.line(&format!("✓ {}", printable(step)))),
        }
    }

    fn tool(&mut self, id: &str, title: &str, status: &str, at: Option<u64>) {
        let now = Instant::now();
        let title = if title.is_empty() { UNNAMED.to_owned() } else { printable(title) };
        let known = self.calls.entry(id.to_owned()).or_insert_with(|| (now, at, String::new()));
        if known.2.is_empty() || title != UNNAMED {
            known.2.clone_from(&title);
        }
        let (since, begun, title) = known.clone();
        if matches!(status, "completed" | "failed") {
            self.calls.remove(id);
            if let Some(moving) = &mut self.moving {
                moving.end_call(id);
            }
            let mark = if status == "completed" { '✓' } else { '✗' };
            // Who looks on later hears of it all at once; the bridge knows how long it took.
            let took = begun.zip(at).map(|(begun, at)| Duration::from_millis(at.saturating_sub(begun)));
            self.line(&format!("{mark} {title}  {}", duration(took.unwrap_or_else(|| since.elapsed()))));
        } else if let Some(moving) = &mut self.moving {
            moving.call(id, &title);
        }
    }

    /// A line that stays.
    fn line(&mut self, line: &str) {
        self.end_of_text();
        if self.telling == Telling::Person {
            self.above(&printable_lines(line));
        }
    }

    fn above(&self, line: &str) {
        match &self.moving {
            Some(moving) => {
                let _ = moving.all.println(line);
            }
            None => note(line),
        }
    }

    fn end_of_text(&mut self) {
        if !self.open_line.is_empty() {
            let line = std::mem::take(&mut self.open_line);
            self.above(&printable_lines(&line));
        }
    }

    /// Makes room for a question, which is asked below what is over.
    pub(super) fn ask(&mut self, question: &ThreadQuestion) {
        if self.telling == Telling::Lines {
            let _ = print(&format!("{}\n", as_json(&Progress::Permission(question.clone()))));
        }
        self.end_of_text();
        for line in super::questions::shown(question).trim_end().lines() {
            if self.telling == Telling::Person {
                self.above(line);
            }
        }
        // What the person types stands alone: nothing moves until the agent goes on.
        if let Some(moving) = &self.moving {
            let _ = moving.all.clear();
            moving.all.set_draw_target(ProgressDrawTarget::hidden());
            self.is_asking = true;
        }
    }

    /// Nothing moves any more.
    pub(super) fn end(&mut self) {
        self.end_of_text();
        if let Some(moving) = self.moving.take() {
            moving.clear();
        }
    }

    /// How long it took.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

impl MovingLines {
    fn new(thread: &str, agent: &str, (gone, budget): (Duration, u64)) -> Self {
        let all = MultiProgress::new();
        let header = all.add(ProgressBar::new_spinner().with_elapsed(gone));
        let budget = duration(Duration::from_millis(budget));
        let template = format!("{{spinner}} {{prefix}} {{elapsed}} of {budget}  {{msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            header.set_style(style);
        }
        header.set_prefix(format!("{} · {}", printable(thread), printable(agent)));
        header.enable_steady_tick(TICK);
        Self { all, header, plan: Vec::new(), calls: BTreeMap::new() }
    }

    fn plan(&mut self, steps: &[PlanStep]) {
        for bar in self.plan.drain(..) {
            bar.finish_and_clear();
        }
        let more = steps.len().saturating_sub(STEPS);
        // What is done first makes room for what is still to come.
        let from = steps.iter().position(|step| step.status != "completed").unwrap_or(0).min(more);
        for step in steps.iter().skip(from).take(STEPS) {
            let mark = match step.status.as_str() {
                "completed" => '☑',
                "in_progress" => '▸',
                _ => '☐',
            };
            self.plan.push(self.still(&format!("  {mark} {}", printable(&step.content))));
        }
    }

    fn still(&self, line: &str) -> ProgressBar {
        let bar = self.all.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        bar.set_message(line.to_owned());
        bar.tick();
        bar
    }

    fn call(&mut self, id: &str, title: &str) {
        let all = &self.all;
        let bar = self.calls.entry(id.to_owned()).or_insert_with(|| {
            let bar = all.add(ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template("  {spinner} {msg}  {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(TICK);
            bar
        });
        bar.set_message(title.to_owned());
    }

    fn end_call(&mut self, id: &str) {
        self.header.set_message("");
        if let Some(bar) = self.calls.remove(id) {
            bar.finish_and_clear();
            self.all.remove(&bar);
        }
    }

    fn clear(self) {
        for bar in self.plan.iter().chain(self.calls.values()).chain([&self.header]) {
            bar.finish_and_clear();
        }
        let _ = self.all.clear();
        let _ = std::io::stderr().flush();
    }
}

/// What happened, as programs read it.
fn as_json(progress: &Progress) -> Value {
    match progress {
        Progress::Text(text) => json!({ "event": "text", "text": text }),
        Progress::Status(message) => json!({ "event": "status", "message": message }),
        Progress::Plan(steps) => json!({ "event": "plan", "steps": steps }),
        Progress::Tool { id, title, status, at } => {
            json!({ "event": "tool", "id": id, "title": title, "status": status, "at": at })
        }
        Progress::Connected(is_connected) => json!({ "event": "connection", "connected": is_connected }),
        Progress::Permission(question) => {
            json!({ "event": "question", "requestId": question.request_id, "title": question.title, "options": question.options })
        }
        Progress::File(file) => json!({ "event": "file", "file": file }),
        Progress::State(state) => json!({ "event": "state", "status": state }),
    }
}

/// The files of a task, a line each: size, kind, and whether it is new.
pub(super) fn table(files: &[FileReport]) -> String {
    let rows: Vec<[String; 4]> = files
        .iter()
        .map(|file| {
            let path = file.local_path.as_deref().unwrap_or(&file.relative_path);
            let state = match file.outcome {
                FileOutcome::Written if file.replaced => "changed",
                FileOutcome::Written => "new",
                FileOutcome::Identical => "kept",
                FileOutcome::Beside => "beside yours",
                FileOutcome::Failed => "not here",
            };
            [printable(path), size(file.size_bytes), content_type(path).to_owned(), state.to_owned()]
        })
        .collect();
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let [name, length, kind] = [width(0), width(1), width(2)];
    rows.iter()
        .map(|[path, bytes, of, state]| format!("  {path:name$}  {bytes:>length$}  {of:kind$}  {state}\n"))
        .collect()
}

fn size(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB"];
    let step = units.iter().enumerate().rev().find(|(step, _)| *step == 0 || bytes >> (10 * step) > 0);
    let (step, unit) = step.unwrap_or((0, &"B"));
    if step == 0 {
        return format!("{bytes} B");
    }
    let tenths = bytes.saturating_mul(10) >> (10 * step);
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}

/// A time in a few characters.
pub(super) fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{}.{} s", seconds, time.subsec_millis() / 100),
        10..60 => format!("{seconds} s"),
        60..3_600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02} h", seconds / 3_600, seconds % 3_600 / 60),
    }
}

//! Writes the world of the tests to a folder, for programs that are measured on it from outside (`tests/ace/world`).
//!
//! `world_sessions FOLDER` writes `sessions/*.jsonl`, and `world.json`: which lesson comes up in each, and by which words one knows it.

#[path = "../tests/learn/world/lessons.rs"]
#[expect(dead_code, reason = "who judges is outside")]
#[expect(clippy::unwrap_used, reason = "the same file is part of the tests")]
mod lessons;
#[path = "../tests/learn/lines.rs"]
mod lines;

use std::path::PathBuf;

use serde_json::json;

#[expect(clippy::disallowed_methods, reason = "a tool that writes its files, no part of the product")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name the folder for the world")?);
    std::fs::create_dir_all(folder.join("sessions"))?;
    let mut sessions = Vec::new();
    for session in lessons::sessions() {
        std::fs::write(folder.join("sessions").join(&session.file), &session.text)?;
        sessions.push(
            json!({"file": session.file, "question": session.question, "lesson": session.lesson.map(|(lesson, _)| lesson),
            "words": session.lesson.and_then(|(lesson, words)| Some(*lessons::LESSONS.get(lesson)?.words.get(words)?))}),
        );
    }
    let told = |lesson: &lessons::Lesson| json!({"about": lesson.about, "essence": lesson.essence});
    let world =
        json!({"sessions": sessions, "lessons": lessons::LESSONS.iter().map(told).collect::<Vec<_>>()});
    std::fs::write(folder.join("world.json"), serde_json::to_vec_pretty(&world)?)?;
    Ok(())
}

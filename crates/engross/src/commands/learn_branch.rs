//! `engross learn --branch`: what was learnt as one commit on a branch of its own, for a pull request.
//!
//! Must never touch the branch that is checked out, the index, or a file: the commit is made from the files as they are.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use engross_documents::change::printable;
use engross_learn::disk::BookFile;
use engross_learn::skillbook::{Skill, SkillStatus};
use engross_protocol::{Exit, Failure};

use engross_compose::files::by_path;

/// Lessons that the words of a commit name.
const NAMED: usize = 50;

/// Commits the files of a book, the folders that it was exported to, and the instructions that show it. `before` holds the skills as
/// they were. Gives the commit; `None` when the branch has these files already.
pub(super) fn commit(
    book: &BookFile,
    instructions: &[PathBuf],
    branch: &str,
    before: &[Skill],
) -> Result<Option<String>, Failure> {
    let folder =
        book.paths().json.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut git = Git { folder: folder.to_owned(), index: None };
    let index = git.run(&["rev-parse", "--git-path", &format!("engross-index-{}", std::process::id())])?;
    // An index of its own: the person's is left alone.
    git.index = Some(folder.join(index));
    let top = PathBuf::from(git.run(&["rev-parse", "--show-toplevel"])?);
    let name = format!("refs/heads/{branch}");
    git.run(&["check-ref-format", &name])?;
    if git.run(&["symbolic-ref", "-q", "HEAD"]).is_ok_and(|head| head == name) {
        let message = format!("the branch '{branch}' is checked out; name another one, or commit yourself");
        return Err(Failure::new(Exit::Refused, "USAGE", message));
    }
    let parent = git.run(&["rev-parse", "-q", "--verify", &format!("{name}^{{commit}}")]);
    let parent = parent.or_else(|_| git.run(&["rev-parse", "-q", "--verify", "HEAD^{commit}"])).ok();
    match &parent {
        Some(parent) => git.run(&["read-tree", parent])?,
        None => git.run(&["read-tree", "--empty"])?,
    };
    for path in files(book, instructions) {
        let Ok(path) = std::fs::canonicalize(&path) else { continue };
        let Ok(inside) = path.strip_prefix(&top) else { continue };
        if git.run(&["check-ignore", "-q", "--", &path.display().to_string()]).is_ok() {
            continue;
        }
        let blob = git.run(&["hash-object", "-w", "--", &path.display().to_string()])?;
        let inside = inside.display().to_string().replace('\\', "/");
        git.run(&["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{inside}")])?;
    }
    let tree = git.run(&["write-tree"])?;
    if let Some(parent) = &parent
        && git.run(&["rev-parse", &format!("{parent}^{{tree}}")])? == tree
    {
        return Ok(None);
    }
    let words = message(book, before);
    let mut arguments = vec!["commit-tree", &tree, "-m", &words];
    if let Some(parent) = &parent {
        arguments.extend(["-p", parent]);
    }
    let commit = git.run(&arguments)?;
    git.run(&["update-ref", "-m", "engross learn", &name, &commit])?;
    Ok(Some(commit))
}

/// The files that a team shares.
fn files(book: &BookFile, instructions: &[PathBuf]) -> Vec<PathBuf> {
    let paths = book.paths();
    let mut files = vec![paths.json.clone(), paths.journal(), paths.markdown()];
    files.extend(instructions.iter().cloned());
    let folder = paths.json.parent().unwrap_or(Path::new("."));
    for export in book.journal.book.exported().into_keys() {
        let skills = std::fs::read_dir(folder.join(export)).into_iter().flatten().flatten();
        files.extend(skills.map(|entry| entry.path().join("SKILL.md")));
    }
    files.retain(|path| path.is_file());
    files
}

/// What was learnt, with what speaks for each lesson.
fn message(book: &BookFile, before: &[Skill]) -> String {
    let known: BTreeSet<&str> = before
        .iter()
        .filter(|skill| skill.status == SkillStatus::Active)
        .map(|skill| skill.id.as_str())
        .collect();
    let shown = book.journal.book.skills().filter(|skill| skill.status == SkillStatus::Active);
    let new: Vec<&Skill> = shown.filter(|skill| !known.contains(skill.id.as_str())).collect();
    let mut text = match new.len() {
        0 => "Bring the lessons of sessions up to date\n".to_owned(),
        1 => "Add a lesson of sessions\n".to_owned(),
        count => format!("Add {count} lessons of sessions\n"),
    };
    for skill in new.iter().take(NAMED) {
        let _ = write!(text, "\n[{}] {}\n", skill.id, printable(&skill.content));
        for source in &skill.sources {
            let session = source.trace.split('#').next().unwrap_or_default();
            let file = book.journal.sessions.get(session).map_or(session, |mark| mark.file.as_str());
            let line = if source.seen.line > 0 { format!(":{}", source.seen.line) } else { String::new() };
            let _ = writeln!(text, "  {}{line}: {}", printable(file), printable(&source.evidence));
        }
    }
    if new.len() > NAMED {
        let _ = write!(text, "\nand {} more\n", new.len() - NAMED);
    }
    text
}

/// Git in a folder, with an index of its own.
struct Git {
    folder: PathBuf,
    index: Option<PathBuf>,
}

impl Drop for Git {
    fn drop(&mut self) {
        if let Some(index) = &self.index {
            // What stays behind harms nobody.
            let _ = by_path::remove(index);
        }
    }
}

impl Git {
    /// The first line of what git prints.
    fn run(&self, arguments: &[&str]) -> Result<String, Failure> {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder).args(arguments);
        if let Some(index) = &self.index {
            command.env("GIT_INDEX_FILE", index);
        }
        let done = command.output().map_err(|error| broken(&error))?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr);
            let message =
                format!("git {} failed: {}", arguments.first().unwrap_or(&""), printable(said.trim()));
            return Err(Failure::new(Exit::Io, "WRITE_FAILED", message));
        }
        Ok(String::from_utf8_lossy(&done.stdout).lines().next().unwrap_or_default().to_owned())
    }
}

fn broken(error: &std::io::Error) -> Failure {
    Failure::new(
        Exit::Io,
        "WRITE_FAILED",
        format!("git cannot be used: {error}; install it, or leave --branch out"),
    )
}

//! The lessons of a server, for the page on which a person reviews them.
//!
//! Must never hold a skillbook open between two requests: the command line and learning write it, too.

use std::sync::Arc;

use engross_http::{Error, SkillDecision, SkillReview};
use engross_learn::disk::{BookFile, BookPaths};
use engross_learn::skillbook::{Skill, SkillOperation, SkillStatus, conflicts};
use engross_protocol::{Failure, codes::find};
use serde_json::{Value, json};

use super::homes::{KeptFiles, OwnerFolders};
use super::skillbook::{edited, settle_all, skill_value};

/// The skillbook at a path, for a person to decide about.
pub(super) struct ReviewedBook {
    pub(super) paths: BookPaths,
    /// What keeps the book for other nodes.
    pub(super) files: Option<Arc<dyn KeptFiles>>,
}

impl SkillReview for ReviewedBook {
    fn list(&self) -> Result<Value, Error> {
        let book = BookFile::read(self.paths.clone()).map_err(Failure::from).map_err(with_status)?;
        let journal = &book.journal;
        let shown: Vec<Value> = journal
            .book
            .skills()
            .filter(|skill| skill.status != SkillStatus::Retired)
            .map(|skill| {
                let mut value = skill_value(skill);
                value["waits"] = json!(waits(skill));
                // Where each observation stands, by the file's name and not by an id.
                for (source, shown) in
                    skill.sources.iter().zip(value["sources"].as_array_mut().into_iter().flatten())
                {
                    let session = source.trace.split('#').next().unwrap_or_default();
                    if let Some(mark) = journal.sessions.get(session) {
                        shown["file"] = json!(mark.file);
                    }
                }
                value
            })
            .collect();
        let path = self.paths.json.display().to_string();
        Ok(json!({"skillbook": path, "skills": shown, "conflicts": conflicts(&journal.book)}))
    }

    fn decide(&self, decisions: &[SkillDecision]) -> Result<Value, Error> {
        let operations: Vec<SkillOperation> = decisions
            .iter()
            .flat_map(|decision| match decision {
                SkillDecision::Accept { id } => vec![SkillOperation::Accept { id: id.clone() }],
                SkillDecision::Retire { id } => vec![SkillOperation::Remove { id: id.clone() }],
                SkillDecision::Decline { id } => vec![SkillOperation::Decline { id: id.clone() }],
                SkillDecision::Edit { id, content } => edited(id, content).to_vec(),
            })
            .collect();
        let mut book = BookFile::open(self.paths.clone()).map_err(Failure::from).map_err(with_status)?;
        let effects = settle_all(&mut book, &operations).map_err(with_status)?;
        book.finish().map_err(Failure::from).map_err(with_status)?;
        if let Some(files) = &self.files
            && !files.look_beneath(OwnerFolders::SKILLS).map_err(Failure::from).map_err(with_status)?
        {
            let message = "the lessons are at another node by now: send the request again".to_owned();
            return Err(Error::of_failure(503, Failure::of(engross_protocol::shared::HOME_AWAY, message)));
        }
        Ok(json!({"effects": effects}))
    }
}

/// Whether a person is asked about it.
fn waits(skill: &Skill) -> bool {
    matches!(skill.status, SkillStatus::Candidate | SkillStatus::Quarantined)
        || (skill.revision.is_some() && skill.status == SkillStatus::Active)
}

fn with_status(failure: Failure) -> Error {
    let status = find(&[engross_learn::codes::ALL], failure.code).map_or(409, |row| row.status);
    Error::of_failure(status, failure)
}

//! What guards a document against changes. engross does not enforce it; it reports it.

use engross_xml::{Document, NodeId};

use crate::document::WordDocument;
use crate::model::is_on;
use crate::names::{DOCUMENT_PROTECTION, EDIT, ENFORCEMENT, TRACK_REVISIONS};
use crate::parts::relationships;

use crate::rules::{Findings, Rule};

pub(super) fn check(document: &WordDocument, findings: &mut Findings) {
    let signed =
        relationships(&document.package, "", &document.limits.xml).unwrap_or_default().into_iter().find(
            |relationship| relationship.kind == "origin" && document.package.contains(&relationship.target),
        );
    if let Some(signature) = signed {
        findings.add(
            Rule::DigitallySigned,
            || signature.target,
            || "the document is digitally signed; any change makes the signature invalid".to_owned(),
        );
    }
    let settings = document.relationships.iter().find(|relationship| relationship.kind == "settings");
    let Some(name) = settings.map(|relationship| relationship.target.clone()) else { return };
    let Ok(Some(part)) = document.related("settings") else { return };
    for node in part.children(part.root()) {
        let Some((rule, message)) = note(&part, node) else { continue };
        findings.add(rule, || name.clone(), || message);
    }
}

fn note(settings: &Document, node: NodeId) -> Option<(Rule, String)> {
    match settings.name(node) {
        DOCUMENT_PROTECTION => {
            let value = settings.attribute(node, ENFORCEMENT)?;
            let enforced = matches!(value.as_ref(), "1" | "true" | "on");
            let what = match settings.attribute(node, EDIT).as_deref() {
                Some("readOnly") => "Word lets nobody edit it",
                Some("comments") => "Word allows only comments",
                Some("trackedChanges") => "Word records every change",
                Some("forms") => "Word allows only filling in forms",
                _ => "Word restricts formatting",
            };
            enforced.then(|| (Rule::DocumentProtected, format!("the document is protected: {what}")))
        }
        TRACK_REVISIONS if is_on(settings, node) => {
            Some((Rule::TrackingOn, "Word records the changes that people make".to_owned()))
        }
        name if settings.local_name(name) == "writeProtection" => {
            let message = "the author asks readers not to change the document, or set a password for it";
            Some((Rule::WriteProtected, message.to_owned()))
        }
        _ => None,
    }
}

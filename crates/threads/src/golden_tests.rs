//! The names that a thread's journal is stored under. A line here was written by 0.1.0 and stays readable; a type may be
//! renamed, what it is stored as may not.

use serde_json::Value;

use super::state::ThreadEntry;

const ASK: &str = r#"{"id":"i","text":"t","requiredExtensions":["pdf"],"requiredCounts":{"pdf":1},"wantsFiles":true,"budget":9,
    "model":"m","attachments":["a"],"isRepeat":true}"#;

const RECORD: &str = r#"{"schemaVersion":20260411,"threadId":"t","title":"T",
    "ownerScope":{"realm":"local","subjectType":"user","subjectId":"local","displayName":"d","x1":1},
    "workspaceBinding":{"workspaceId":"w","workspaceKind":"localFs","workspacePath":"/p","displayPath":"/d","writable":true,"x2":2},
    "executionBinding":{"executionMode":"gateway","executorId":"e","providerId":"p","x3":3},
    "contextState":{"messages":[{"id":"m1","role":"user","text":"t","timestampMs":1,"pending":false,"error":true,"x4":4}],
    "lastArtifactSyncStatus":"synced","lastArtifactSyncAtMs":2,"lastTaskArtifactRelativePaths":["a"],
    "openClawTaskAssociation":ASSOCIATION,"x6":6},
    "lifecycleState":{"archived":false,"status":"running","lastRunAtMs":3,"lastResultCode":"ok","x7":7},
    "createdAtMs":4,"updatedAtMs":5,"x8":{"a":[1]}}"#;

const ASSOCIATION: &str = r#"{"sessionId":"s","threadId":"t","turnId":"u","runId":"r","appThreadKey":"k","openclawSessionKey":"o",
    "artifactScope":"a","artifactDirectory":"d","gatewayProviderId":"g","status":"running","startedAtMs":1,"x5":5}"#;

const TERMINAL: &str = r#"{"runId":"r","artifactScope":"a","success":true,"status":"completed","code":"C","text":"t","cause":"c",
    "artifacts":[{"relativePath":"a","sizeBytes":1,"sha256":"h","artifactRef":"r","downloadUrl":"u","content":"c",
    "artifactScope":"s"}],"isShort":true,"syncStatus":"synced"}"#;

const ENTRIES: &[&str] = &[
    r#"{"entry":"opened","record":RECORD}"#,
    r#"{"entry":"waits","ask":ASK}"#,
    r#"{"entry":"queued","ask":ASK}"#,
    r#"{"entry":"began","ask":ASK,"follows":true,"deadline":1}"#,
    r#"{"entry":"associated","association":ASSOCIATION}"#,
    r#"{"entry":"lost","failures":1}"#,
    r#"{"entry":"heard"}"#,
    r#"{"entry":"delivered","terminal":TERMINAL}"#,
    r#"{"entry":"ended","code":"c","sync":"queued","paths":["a"],"text":"t","failed":true}"#,
    r#"{"entry":"ended","code":"c","sync":"running","paths":[],"text":"","failed":false}"#,
    r#"{"entry":"ended","code":"c","sync":"syncing","paths":[],"text":"","failed":false}"#,
    r#"{"entry":"ended","code":"c","sync":"synced","paths":[],"text":"","failed":false}"#,
    r#"{"entry":"ended","code":"c","sync":"partial","paths":[],"text":"","failed":false}"#,
    r#"{"entry":"ended","code":"c","sync":"failed","paths":[],"text":"","failed":false}"#,
    r#"{"entry":"ended","code":"c","sync":"no-artifacts","paths":[],"text":"","failed":false}"#,
    r#"{"entry":"ended","code":"c","sync":"no-exported-artifacts","paths":[],"text":"","failed":false}"#,
    r#"{"entry":"archived"}"#,
    r#"{"entry":"restored"}"#,
];

#[test]
fn entries_keep_the_names_they_are_stored_under() {
    let parts = [("RECORD", RECORD), ("ASSOCIATION", ASSOCIATION), ("TERMINAL", TERMINAL), ("ASK", ASK)];
    for golden in ENTRIES {
        let golden = parts.iter().fold((*golden).to_owned(), |text, (name, part)| text.replace(name, part));
        let entry: ThreadEntry =
            serde_json::from_str(&golden).unwrap_or_else(|error| panic!("{error}: {golden}"));
        let expected: Value = serde_json::from_str(&golden).unwrap();
        assert_eq!(serde_json::to_value(&entry).unwrap(), expected);
    }
}

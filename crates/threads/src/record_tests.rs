//! Records of other programs.

use serde_json::{Value, json};

use super::record::ThreadRecord;

fn whole() -> Value {
    json!({
        "schemaVersion": 20_260_411, "threadId": "draft:1811-1", "title": "A brief",
        "ownerScope": {"realm": "remote", "subjectType": "tenant", "subjectId": "t-1", "displayName": "Tenant"},
        "workspaceBinding": {"workspaceId": "w", "workspaceKind": "localFs", "workspacePath": "/home/a/.xworkmate/threads/x",
            "displayPath": "~/x", "writable": true},
        "executionBinding": {"executionMode": "gateway", "executorId": "e", "providerId": "openclaw",
            "endpointId": "", "executionModeSource": "explicit", "providerSource": "inherited"},
        "contextState": {
            "messages": [{"id": "m1", "role": "user", "text": "Write it", "timestampMs": 5, "pending": false, "error": false,
                "toolCallId": null, "toolName": null, "stopReason": null}],
            "selectedModelId": "", "selectedSkillKeys": ["s"], "permissionLevel": "defaultAccess",
            "lastArtifactSyncAtMs": 7, "lastArtifactSyncStatus": "synced", "lastTaskArtifactRelativePaths": ["a.md"],
            "openClawTaskAssociation": {"sessionId": "draft:1811-1", "threadId": "draft:1811-1", "turnId": "turn-1",
                "runId": "r", "artifactScope": "tasks/s/r", "artifactDirectory": "/w/tasks/s/r",
                "gatewayProviderId": "openclaw", "startedAtMs": 6, "status": "running",
                "appThreadKey": "draft:1811-1", "openclawSessionKey": "agent:main:draft:1811-1",
                "taskLoadClass": "short_task"}
        },
        "lifecycleState": {"archived": false, "status": "ready", "lastRunAtMs": 6, "lastResultCode": "success"},
        "createdAtMs": 1, "updatedAtMs": 8, "ofAnotherProgram": {"kept": [1, 2]}
    })
}

#[test]
fn a_record_goes_out_as_it_came_in() {
    let record = ThreadRecord::parse(&whole().to_string()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&record.to_json().unwrap()).unwrap(), whole());
}

#[test]
fn what_is_no_thread_is_refused_and_named() {
    for (pointer, value, named) in [
        ("/schemaVersion", json!(2), "schemaVersion"),
        ("/threadId", json!(" "), "threadId"),
        ("/workspaceBinding/workspaceId", json!(""), "workspaceId"),
        ("/workspaceBinding/workspacePath", json!(""), "workspacePath"),
        ("/workspaceBinding", json!(null), "line"),
        ("/executionBinding/executionMode", json!("auto"), "auto"),
        ("/contextState/messages", json!({}), "line"),
    ] {
        let mut record = whole();
        *record.pointer_mut(pointer).unwrap() = value;
        let error = ThreadRecord::parse(&record.to_string()).unwrap_err();
        assert_eq!(error.code(), "THREAD_RECORD_INVALID");
        assert!(error.to_string().contains(named), "{pointer}: {error}");
    }
    assert!(ThreadRecord::parse("{").is_err());
}

/// contracts/tasks.md §0.1 D2: `interrupted` is a detail of the result.
#[test]
fn an_older_status_is_read_as_ready() {
    let mut record = whole();
    record["lifecycleState"] = json!({"status": "interrupted"});
    let record = ThreadRecord::parse(&record.to_string()).unwrap();
    assert_eq!(record.lifecycle_state.status, "ready");
    assert_eq!(record.lifecycle_state.last_result_code.as_deref(), Some("interrupted"));
}

//! The codes of artifact scopes, artifacts and download links.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    ARTIFACT_CHANGED: Refused, 400, rpc -32602 {
        summary: "The file is not what it was when it was exported, or it changes while it is read.",
        why: "\
            A reference names a file with its size and hash. The file has other bytes now, or somebody \
            writes to it.",
        remedy: "\
            Export again, and use the new reference. If it keeps changing, wait until the run has ended.",
    }
    ARTIFACT_CURSOR_INVALID: Usage, 400, rpc -32602 {
        summary: "There is no such place in the list of artifacts.",
        why: "The cursor was shortened or made up.",
        remedy: "Send `nextCursor` as the last page answered it. To begin anew, leave it out.",
    }
    ARTIFACT_LISTING_STOPPED: Refused, 400, rpc -32002 {
        summary: "The files of a run were not listed to the end.",
        why: "\
            Hashing large files takes time. The task was cancelled meanwhile, or the server was asked to \
            stop, and neither waits for it.",
        remedy: "Ask again. A run whose files were being listed when the server stopped is taken up by itself.",
    }
    ARTIFACT_NOT_FOUND: Refused, 400, rpc -32602 {
        summary: "There is no such file in the folder of this run.",
        why: "\
            It was removed or renamed, or the path has a mistake. A path is one beneath the scope, not \
            beneath the workspace.",
        remedy: "Export again, and use a path of that list.",
    }
    ARTIFACT_PATH_INVALID: Usage, 400, rpc -32602 {
        summary: "The path leads, or could lead, out of the run's folder.",
        why: "\
            It is empty or absolute, has an empty part, a part `.` or `..`, or a NUL. Such a path is \
            never tidied. A name that is no text is written with U+FFFD and two digits for each byte; \
            other texts with U+FFFD name nothing.",
        remedy: "Send `relativePath` exactly as the export answered it.",
    }
    ARTIFACT_REFUSED: Refused, 400, rpc -32602 {
        summary: "What is there is no deliverable of this run.",
        why: "\
            It is a link, or a link is on the way to it; it is a folder, a pipe or a device; it is in a \
            folder that a tool keeps for itself, such as `.git` or `node_modules`; or it is a hard link \
            to a file that has another name outside the run's folder.",
        remedy: "Copy the file, as an ordinary one, to another place in the run's folder.",
    }
    ARTIFACT_REF_EXPIRED: Refused, 400, rpc -32602 {
        summary: "The reference is too old.",
        why: "References are good for a limited time.",
        remedy: "Export again for a new one. The file is still there.",
    }
    ARTIFACT_REF_INVALID: Refused, 400, rpc -32602 {
        summary: "The reference was not issued by this server, or not like this.",
        why: "It was shortened or changed, it is of version 1, or the key that signed it is retired.",
        remedy: "Export again for a new one.",
    }
    ARTIFACT_REF_MISMATCH: Refused, 400, rpc -32602 {
        summary: "The reference is good, but for something else.",
        why: "\
            It was issued for another workspace, session or run, or the request names another path beside \
            it.",
        remedy: "Export this run, and send what that answers, without a path of your own.",
    }
    ARTIFACT_SCOPE_REQUIRED: Usage, 400, rpc -32602 {
        summary: "The request does not say whose file is meant.",
        why: "A path alone could mean the file of any run.",
        remedy: "Send the `artifactRef`, or `artifactScope` and `relativePath` together.",
    }
    DOWNLOAD_LINK_EXPIRED: Refused, 400, rpc -32602 {
        summary: "The download link is too old.",
        why: "Links are good for a limited time.",
        remedy: "Export again for a new one. The file is still there.",
    }
    DOWNLOAD_LINK_INVALID: Refused, 400, rpc -32602 {
        summary: "The download link was not issued by this server, or not like this.",
        why: "A part of it was changed or lost, or the key that signed it is retired.",
        remedy: "Use the link as it is, or export again for a new one.",
    }
    EXPECTED_DIR_INVALID: Usage, 400, rpc -32602 {
        summary: "The expected folder is not one beneath the run's own.",
        why: "\
            It is absolute, has a drive or a part `.` or `..`, begins with `tasks/`, which holds the \
            folders of all runs, or cannot be a folder on every system.",
        remedy: "\
            Name a folder beneath the run's own, such as `reports/`. Expected folders are hints: leave \
            out what you do not need.",
    }
    RANGE_INVALID: Usage, 400, rpc -32602 {
        summary: "The file has none of the bytes that are asked for.",
        why: "The range begins behind its end. The file may be shorter than it was when the download began.",
        remedy: "Ask for the size again, and begin anew.",
    }
    SCOPE_INVALID: Usage, 400, rpc -32602 {
        summary: "The text is no artifact scope.",
        why: "A scope is `tasks/SESSION/RUN`, each part as the server named it.",
        remedy: "Send the scope as prepare answered it, or leave it out.",
    }
    SCOPE_KEY_INVALID: Usage, 400, rpc -32602 {
        summary: "The session key or run id cannot be one.",
        why: "It is missing or blank, longer than 1024 bytes, or has a control character.",
        remedy: "Send the one that the task was started with.",
    }
    SCOPE_MISMATCH: Refused, 400, rpc -32602 {
        summary: "The scope belongs to another session or run.",
        why: "Files of one run are never handed out for another.",
        remedy: "Leave the scope out, or send the one of this run.",
    }
    SCOPE_MISSING: Refused, 400, rpc -32602 {
        summary: "The run has no folder.",
        why: "It was not prepared, or its folder was removed.",
        remedy: "Prepare the run. If it was removed its files are gone: run the task again.",
    }
    SIGNING_KEY_UNUSABLE: Usage, 400, rpc -32602 {
        summary: "Nothing can be signed.",
        why: "\
            There is no key that is not retired, its secret has less than 16 bytes, or its id has other \
            characters than letters, digits, `_` and `-`.",
        remedy: "Configure a key of at least 16 random bytes, as the first one.",
    }
}

//! The codes of the agent in an editor.
//!
//! Must never lose a row: codes are in the logs of editors.

engross_protocol::codes! {
    EDITOR_FILE_OUTSIDE: Usage, 400, rpc -32602 {
        summary: "An editor's session was given a file that is not in its folder.",
        why: "\
            A session works on the documents beneath the folder that the editor opened it for, and reaches \
            nothing else. Links that lead out of it are not followed.",
        remedy: "Open the folder of that file in the editor, or copy the file into the session's folder.",
    }
    EDITOR_FOLDER_INVALID: Usage, 400, rpc -32602 {
        summary: "The folder of an editor's session cannot be used.",
        why: "\
            `cwd` must be the absolute path of a folder that is there. All of the disk, or all of a home \
            folder, is refused: the agent would reach too much.",
        remedy: "Open the folder with the documents in the editor, and begin a new session there.",
    }
    EDITOR_ORDER_INVALID: Usage, 400, rpc -32600 {
        summary: "The editor asked for something before `initialize`.",
        why: "The protocol begins with `initialize`, in which both sides say what they can do.",
        remedy: "Send `initialize` first. An editor that does not is faulty: tell its makers.",
    }
    EDITOR_PARAMS_INVALID: Usage, 400, rpc -32602 {
        summary: "The parameters of a method cannot be used.",
        why: "A field is missing, has another type than the protocol says, or names something that is not there.",
        remedy: "Read the message: it names the field. The protocol's schema tells what each method takes.",
    }
    EDITOR_PROMPT_INVALID: Usage, 400, rpc -32602 {
        summary: "A prompt of an editor cannot be answered as it is.",
        why: "It is empty, longer than 1 MiB, holds an image or a recording, or names no document where one is needed.",
        remedy: "Write what is to be done as text, and name files instead of embedding them.",
    }
    EDITOR_SESSION_BUSY: Refused, 409, rpc -32600 {
        summary: "A second prompt came while a turn of the session runs.",
        why: "A session has one turn at a time, so that no two change a document at once.",
        remedy: "Wait for the end of the turn, or cancel it. Other sessions are free.",
    }
    EDITOR_SESSION_UNKNOWN: Refused, 404, rpc -32002 {
        summary: "There is no such session of an editor.",
        why: "Its id is not one that this agent has given, the session was deleted, or it was not opened in this process.",
        remedy: "Open it with `session/load` or `session/resume`, or begin one with `session/new`.",
    }
}

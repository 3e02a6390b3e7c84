//! The codes of the server for the clients of agents.
//!
//! Must never lose a row: codes are in logs and in the programs of clients.

engross_protocol::codes! {
    FOLDER_TOO_WIDE: Usage, 400 {
        summary: "The server for agents was started where it would reach too much.",
        why: "\
            Without `--root`, `engross mcp` serves the folder that it was started in. That is `/`, a drive, \
            or the folder of a person with everything in it, as when an application on the desktop starts \
            it. Agents would reach every document there.",
        remedy: "Name the folder with the documents: `engross mcp --root DIR`. It can be given several times.",
    }
    CALL_STOPPED: Refused, 409 {
        summary: "The client took its call back.",
        why: "The call was cancelled while it was carried out. Nothing was written.",
        remedy: "Call again, if it is still wanted.",
    }
}

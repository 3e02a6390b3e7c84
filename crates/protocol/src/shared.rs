//! The codes that several rooms give, and that stand in none of them alone.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

crate::codes! {
    CONFIG_INVALID: Usage, 400 {
        summary: "A setting cannot be used.",
        why: "\
            The settings file is not valid TOML, holds a setting that does not exist, or a value has the \
            wrong form. The message begins with where it comes from: the file, an environment variable or \
            a flag.",
        remedy: "\
            Correct it there. The settings are listed in `docs/guide/commands.md`; `engross doctor` shows \
            which value counts and where it comes from.",
    }
    FEATURE_LEFT_OUT: Usage, 400 {
        summary: "This engross was built without what was asked for.",
        why: "\
            Parts of engross are left out of a build by cargo features, so that it is small and quick to \
            build: `server` (chat, serve, task, write, learn), `mcp` (a server for the clients of agents), \
            `cluster` (Postgres, object storage), `code` (grammars of programming languages), `otel` \
            (OpenTelemetry). The message names the part and its feature. Nothing was done.",
        remedy: "\
            Build with the feature that the message names, or with `--features full` for everything, or \
            take a published binary.",
    }
    HOME_AWAY: Io, 503 {
        summary: "The node that has what an owner has cannot be reached now.",
        why: "\
            Several nodes share a database, and the workspaces, write sessions and tasks of an owner are at \
            one of them at a time. That one has died, stood still or was cut off; or it lost them to another \
            node while it worked on this request. Another node takes them up within five seconds. Nothing \
            that was acknowledged is lost.",
        remedy: "\
            Send the request again, with its `Idempotency-Key` if it had one. If it does not end, look \
            whether the nodes reach each other at the addresses that `--node-address` names.",
    }
    IDEMPOTENCY_KEY_REUSED: Refused, 409, rpc -32602 {
        summary: "The idempotency key belongs to another request.",
        why: "\
            An earlier request with this key said something else. Its answer would be the wrong one. \
            Nothing was stored.",
        remedy: "Use a new key for a new request, and the same key only to repeat the very same request.",
    }
    INVALID_ARGUMENTS: Refused, 500 {
        summary: "A model called a tool with arguments that cannot be used.",
        why: "\
            They are not valid JSON, or an argument is missing, unknown or of the wrong type. The message \
            names it. The model is told and may correct itself. You see this code only in the \
            conversation.",
        remedy: "\
            Nothing, if the run ends well. Small models make this mistake more often; choose a larger one.",
    }
    INVALID_JSON: Usage, 400 {
        summary: "The file with the operations, or the body of a request, is not JSON.",
        why: "\
            The message holds line and column of the first place that cannot be read. Lists and objects \
            may stand in each other 127 deep.",
        remedy: "\
            Correct it there. Texts stand in double quotes; a quote mark in them is `\\\"`, a line end \
            `\\n`.",
    }
    INVALID_OPERATION: Usage, 400 {
        summary: "The operations are not in the operation language.",
        why: "\
            An operation or field is unknown, a required field is missing, or a value has the wrong type. \
            The message names the operation, counted from 0, and the nearest thing that would be right. \
            From a file, no operation of the batch is applied then. From a model, only the wrong one is \
            left out. A write session knows `create`, `overwrite`, `append` and `patch`.",
        remedy: "\
            Correct the operation that the message names. The language is described in \
            `docs/guide/editing.md`.",
    }
    READ_FAILED: Io, 500 {
        summary: "The file cannot be read.",
        why: "\
            It is there, but the system does not allow it to be read, or the disk failed. The message \
            holds what the system said.",
        remedy: "\
            Check the permissions of the file and its folders. On Windows, close programs that hold it \
            open.",
    }
    SERVER_BUSY: Refused, 429 {
        summary: "As many turns, or write sessions, are open as may be.",
        why: "\
            The server bounds how much it does at once. Nothing was stored. A write session is open until \
            its file is written, it is cancelled, or nothing was heard of it for five minutes.",
        remedy: "Try again, as `retry-after` says. Finish or cancel write sessions that are not needed.",
    }
    SERVER_STOPPING: Io, 503, rpc -32002 {
        summary: "The server is about to stop.",
        why: "It ends the turns that run and takes no new requests. Nothing was stored.",
        remedy: "Try again in a moment, as `retry-after` says.",
    }
    TOO_LARGE: Refused, 413, rpc -32602 {
        summary: "The file, or what is to become one, is larger than allowed.",
        why: "\
            The message names the limit. A larger file could take all memory. Of a stream it was noticed \
            as the content came, and nothing was written.",
        remedy: "\
            Read it in parts; write several smaller files, or raise the limit where the request allows it.",
    }
    WRITE_FAILED: Io, 500 {
        summary: "The result cannot be written.",
        why: "\
            The folder does not exist, may not be written, or the name is that of a folder or a device. \
            The message holds what the system said. Nothing was changed there: a result is first written \
            to a temporary file and then put in place as a whole.",
        remedy: "Check the folder and its permissions, or write elsewhere with `-o`.",
    }
}

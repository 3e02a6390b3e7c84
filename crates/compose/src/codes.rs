//! The codes of commands.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    INTERRUPTED: Refused, 422 {
        summary: "The run was stopped by Ctrl-C.",
        why: "\
            Nothing was written, and the document is as it was. Edits that the model had made until then \
            existed only in memory.",
        remedy: "Run the command again when you are ready.",
    }
    KEYS_INVALID: Usage, 500 {
        summary: "The file of a server's keys cannot be used.",
        why: "\
            `keys.json` in the folder for data is not what `engross keys` writes: it is no JSON, or a key in \
            it has a name, an owner, a right or a hash that cannot be. A server that runs already goes on \
            with the keys that it had.",
        remedy: "Put back an earlier `keys.json`, or remove what the message names; then send SIGHUP.",
    }
    KEY_UNKNOWN: Refused, 404 {
        summary: "There is no key of this name.",
        why: "It was never made in this folder for data, or it was revoked already.",
        remedy: "See `engross keys list`, with the `--data` of the server.",
    }
    LISTEN_FAILED: Io, 500 {
        summary: "The server cannot listen at the address.",
        why: "\
            Another program listens there already, the address does not belong to this machine, or the \
            port needs more rights (below 1024).",
        remedy: "\
            Choose another address with `--listen`, such as `127.0.0.1:0` for any free port, or stop the \
            other program.",
    }
    NOTHING_APPLIED: Refused, 422 {
        summary: "No edit was made, so no file was written.",
        why: "\
            The model answered in words only, or all edits were refused. What it said, and why each edit \
            was refused, is in the answer; over HTTP, in `details.operations`.",
        remedy: "\
            Read the model's words. Say more exactly what to change, or choose another model: the \
            embedded `rules` know only the patterns of `docs/guide/rules.md`.",
    }
    NOT_ALL_APPLIED: Refused, 422 {
        summary: "The file was written, but some edits are not in it.",
        why: "\
            They were refused or failed, and the model did not repair them. Each says why in the list of \
            operations. Exit code 1 makes sure that this is noticed.",
        remedy: "\
            Review what was applied. Then ask for the rest in another run, or make the refused edits by \
            hand.",
    }
    OWN_KEYS_OFF: Refused, 403 {
        summary: "The server takes no keys of persons.",
        why: "\
            It was started with `--no-own-keys`, or so set: the one who runs it decides which models read \
            documents there.",
        remedy: "Choose one of the server's models, or ask the one who runs it.",
    }
    OWN_MODEL_INVALID: Refused, 409 {
        summary: "A key of your own could not be kept, read or forgotten.",
        why: "\
            A key that is to be remembered is in the store of the operating system, or in `own-model.json` in the \
            folder for data. The store is locked or is not there any more, or the file is not what engross wrote.",
        remedy: "\
            Unlock the store and try again. Else delete what the message names, and give the key again in the \
            pane's settings.",
    }
    RUNNER_BUSY: Refused, 409 {
        summary: "The runner of this data folder is at work with other settings.",
        why: "\
            Tasks of one data folder are carried out by one process in the background. It was started \
            with another model, other settings or other keys, and has tasks that it must not be taken \
            from.",
        remedy: "\
            Wait until `engross task list` shows nothing running, then ask again; or give `--data` another \
            folder, or `--server` a server.",
    }
    USAGE: Usage, 400 {
        summary: "The command line is wrong.",
        why: "\
            A command, flag or value is unknown or missing, or two of them exclude each other. The \
            message says which.",
        remedy: "See `engross --help` or `engross COMMAND --help`.",
    }
    WORD_NOT_INSTALLED: Usage, 500 {
        summary: "There is no certificate for the pane of Word.",
        why: "\
            `engross serve --word` speaks https with the certificate that `engross word install` made in the \
            folder for data, and there is none in this one.",
        remedy: "\
            Run `engross word install`, with the `--data` of the server if it has one; or give a certificate \
            of your own by `--tls-cert` and `--tls-key`.",
    }
}

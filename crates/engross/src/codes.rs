//! The codes of commands.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    CHECKPOINT_DAMAGED: Io, 500 {
        summary: "A checkpoint of a document cannot be given back as it was.",
        why: "\
            Checkpoints lie in the folder for data, as pieces under the hashes of their bytes. A piece is \
            missing, or has other bytes than were kept: the disk lost something, or another program \
            changed the folder.",
        remedy: "\
            The document itself was not touched. List the checkpoints with `engross checkpoint FILE`, and \
            restore another one.",
    }
    DISK_FULL: Io, 500 {
        summary: "There is no room for the result.",
        why: "\
            The disk or the quota is full, or the process may not make files of that size. Nothing was \
            changed: the temporary file is gone, and a file that was there before still is.",
        remedy: "Make room, or write elsewhere with `-o`.",
    }
    FILE_TOO_LARGE: NotADocument, 422 {
        summary: "The file is larger than what is opened.",
        why: "\
            Documents may have 512 MiB, which is Word's own limit; operations, scripts and settings 64 \
            MiB.",
        remedy: "Split the document, or make its pictures smaller.",
    }
    INPUT_CHANGED: Io, 500 {
        summary: "The document was changed while engross was at work.",
        why: "\
            With `--in-place` the document is replaced at the end. In the meantime someone else has saved \
            or removed it, and their work would be lost. Nothing was written.",
        remedy: "Run the command again. Or write to another file with `-o` and compare.",
    }
    INTERRUPTED: Refused, 422 {
        summary: "The run was stopped by Ctrl-C.",
        why: "\
            Nothing was written, and the document is as it was. Edits that the model had made until then \
            existed only in memory.",
        remedy: "Run the command again when you are ready.",
    }
    INVALID_AUTHOR: Usage, 400 {
        summary: "The author cannot be used.",
        why: "\
            It is empty, has control characters, or has more than 255 characters. A tracked change \
            without an author is shown as anybody's, so it is not written.",
        remedy: "Give a name with `--author`, in the settings, or in the operations.",
    }
    INVALID_DATE: Usage, 400 {
        summary: "The date cannot be used.",
        why: "\
            Dates of changes are RFC 3339 with a time zone, such as `2026-01-31T09:30:00Z` or \
            `2026-01-31T10:30:00+01:00`. They are written in UTC with whole seconds.",
        remedy: "\
            Correct the value of `--date`, or of `date` in the operations, or leave it out: then it is \
            now.",
    }
    IS_A_DIRECTORY: NotADocument, 422 {
        summary: "The path is a folder.",
        why: "A document or a text file was expected.",
        remedy: "Name a file in it.",
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
    NOT_FOUND: Io, 500 {
        summary: "There is no such file.",
        why: "The name is wrong, or the path is relative to another folder than the current one.",
        remedy: "Check the name and the folder. In most shells, names with spaces need quotes.",
    }
    NOT_UTF8: Io, 500 {
        summary: "The file is not UTF-8 text.",
        why: "\
            Operations, scripts and settings are text in UTF-8. This file holds other bytes; perhaps it \
            was saved in another encoding, or it is no text at all.",
        remedy: "Save it as UTF-8, and check that it is the right file.",
    }
    OUTPUT_IS_INPUT: Usage, 400 {
        summary: "The output is the document itself.",
        why: "\
            `-o` never overwrites the document that was read, also not through a link or another spelling \
            of its path.",
        remedy: "Choose another name, or use `--in-place` if you want to replace the document.",
    }
    USAGE: Usage, 400 {
        summary: "The command line is wrong.",
        why: "\
            A command, flag or value is unknown or missing, or two of them exclude each other. The \
            message says which.",
        remedy: "See `engross --help` or `engross COMMAND --help`.",
    }
}

//! The codes of documents on their way from a file to a file.
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
    CHECKPOINT_UNKNOWN: Refused, 404 {
        summary: "The document has no such checkpoint.",
        why: "\
            Checkpoints are made before each change of a document in a workspace. The newest 50 of each \
            document are kept, as long as they have 256 MiB together. `engross checkpoint` counts those \
            of a document from 1; the oldest go when there are more than 100, or when they need more than \
            256 MiB. A number is never given twice.",
        remedy: "\
            List the checkpoints with `GET /v1/workspaces/NAME/checkpoints/PATH`, or with `engross \
            checkpoint FILE`, and restore one of them.",
    }
    DOCUMENT_BUSY: Refused, 429 {
        summary: "Somebody else is writing the document.",
        why: "\
            One document has one writer at a time. Another request, or the model of another session, held \
            it for more than ten seconds, or the server was about to stop. Nothing was changed.",
        remedy: "Try again in a moment.",
    }
    DOCUMENT_CHANGED: Refused, 409 {
        summary: "The document is not what it was when it was read.",
        why: "\
            Paragraph numbers and texts mean the document as it was read. Somebody has changed it since \
            then, so an edit could have hit the wrong place. Nothing was changed.",
        remedy: "\
            Read the document again, and edit what is there now. Over HTTP send the new \
            `expectedRevision`, or the new `If-Match`.",
    }
    DOCUMENT_LIMITS: Refused, 422 {
        summary: "Working on the document took more memory or time than the server allows.",
        why: "\
            The server works on documents in processes of their own (`isolate_documents`), each within \
            `document_memory_mib` and `document_seconds`. This one passed a bound, or ended its process \
            otherwise. Only this request ended with it, and nothing was changed. The same document is \
            refused for a minute without another try.",
        remedy: "\
            Send a smaller document, or split it; save one that is damaged or hostile again in Word. The \
            one who runs the server can raise the bound that the message names.",
    }
    DOCUMENT_WORKER_UNAVAILABLE: Io, 503 {
        summary: "No process was free to work on the document.",
        why: "\
            The server works on documents in processes of their own, at most `document_workers` of them. \
            All were busy for as long as a request waits, or the machine could start none. Nothing was \
            changed.",
        remedy: "\
            Try again in a moment. The one who runs the server can raise `document_workers`, or see in its \
            log why none was started.",
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
    OUTPUT_IS_INPUT: Usage, 400 {
        summary: "The output is the document itself.",
        why: "\
            `-o` never overwrites the document that was read, also not through a link or another spelling \
            of its path.",
        remedy: "Choose another name, or use `--in-place` if you want to replace the document.",
    }
    OUTPUT_KIND: Usage, 400 {
        summary: "The name of the output tells another kind of document than the result is.",
        why: "\
            Word goes by the ending of a name, and does not open a `.docm` or `.dotx` that holds a `.docx`; a \
            `.pdf` or `.md` that holds one is opened by no program. A result is of its source's kind.",
        remedy: "\
            End the name as the message says. For Markdown there is `engross to-markdown`, for a page \
            `engross to-html`; other kinds are made by Word's 'Save as'.",
    }
}

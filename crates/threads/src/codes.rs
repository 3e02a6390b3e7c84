//! The codes of task threads.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    BRIDGE_REFUSED: Refused, 422 {
        summary: "\
            The bridge that works for a task thread refused what was asked of it, or could not be reached.",
        why: "\
            The message has the bridge's own words and its code. `ACP_HTTP_401` means that the token is \
            wrong or missing, `ACP_HTTP_CONNECT_FAILED` that nobody listens at the address.",
        remedy: "\
            Check `--server` and `--token` (or `ENGROSS_SERVER` and `ENGROSS_TOKEN`), and that the server \
            runs. Nothing that was asked before is lost: `engross task watch THREAD` goes on with it.",
    }
    THREAD_ARCHIVED: Refused, 422 {
        summary: "The task thread was put away.",
        why: "Something was asked of a task thread that was put away.",
        remedy: "Take it back with `engross task restore THREAD`, or begin another thread.",
    }
    THREAD_NOT_IDLE: Refused, 422 {
        summary: "The task thread is at work.",
        why: "A task thread that is at work, or that has requests waiting, cannot be put away.",
        remedy: "\
            Wait for its end with `engross task watch THREAD`, or stop it with `engross task cancel \
            THREAD`, and archive it then.",
    }
    THREAD_RECORD_INVALID: Refused, 422 {
        summary: "This is no record of a task thread.",
        why: "\
            The file is no record of a task thread in schema 20260411, or a thread's journal cannot be \
            read: a field that every thread has is missing or empty, or says what nothing here knows, \
            such as the execution mode `auto`.",
        remedy: "\
            Read the message, which names the field. Export the record again from the program that wrote \
            it, or mend the field and import it again. Other threads are not concerned.",
    }
    THREAD_UNKNOWN: Refused, 422 {
        summary: "There is no such task thread.",
        why: "There is no task thread with this key, nor one whose key begins so.",
        remedy: "\
            `engross task list --all` shows the keys. Threads are kept beneath the folder for data: with \
            another `--data` there are other threads.",
    }
}

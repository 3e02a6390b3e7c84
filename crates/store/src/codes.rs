//! The codes of session stores.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    STORE_CLOSED: Io, 503 {
        summary: "The store was closed.",
        why: "engross is shutting down. Everything that was acknowledged before is safe.",
        remedy: "Ask again when it is back.",
    }
    STORE_CONFLICT: Refused, 503 {
        summary: "The session is not where the writer thought it was.",
        why: "\
            A session is a log, and each writer says which entry it takes for the last one. Someone else \
            has appended since: another request to the same session, another node, or the writer itself, \
            when an answer got lost and the request was repeated. Creating a session under an id that is \
            in use ends the same way. Nothing was written.",
        remedy: "\
            Load the session again and repeat what still applies. engross does so by itself; a person \
            sees this code only when many requests to one session keep overtaking each other. Send them \
            one after the other.",
    }
    STORE_DAMAGED: Io, 503 {
        summary: "The store holds what engross has not written.",
        why: "\
            The file is no SQLite database, is cut off, or has pages that do not fit together; or tables \
            in Postgres were changed or removed. The message names the place. Nothing was changed by \
            finding out.",
        remedy: "\
            Restore it from a copy. Or move it away: engross then begins with an empty store. `sqlite3 \
            FILE .recover` may save what is left of a file.",
    }
    STORE_FENCED: Refused, 503 {
        summary: "Another node has taken the session over.",
        why: "\
            A node holds a lease on each session it works on. This one's lease ran out, because the node \
            was paused, overloaded or cut off, and another node has taken a newer one. What an old lease \
            would still write is refused, so that two nodes never mix their work. Nothing was written.",
        remedy: "\
            Send the request again: the node that has the lease answers it. If it happens often, the \
            nodes are short of CPU time, or their clocks are far apart.",
    }
    STORE_FULL: Io, 503 {
        summary: "There is no room for the session's next entries.",
        why: "\
            The disk or the quota that the message names is full. What was acknowledged before is safe, \
            and reading goes on. What did not fit was not written, not even in part.",
        remedy: "\
            Make room. The store is usable again as soon as there is some; nothing needs to be restarted. \
            Then repeat the request.",
    }
    STORE_IN_USE: Io, 503 {
        summary: "Another engross process uses the file.",
        why: "\
            Two processes on one SQLite file would each believe to be the only writer. A lock on \
            `FILE-lock` beside it keeps the second one out. The lock ends with its process, also when \
            that is killed; the file may stay.",
        remedy: "\
            Stop the other process, or choose another folder with `--data`. For several processes at \
            once, use `--store postgres://…`.",
    }
    STORE_NAME_INVALID: Usage, 503 {
        summary: "The text cannot name a session.",
        why: "\
            A name has 1 to 1,024 bytes of UTF-8 and no NUL. Session keys, values of `user` and \
            idempotency keys are such names.",
        remedy: "Choose a shorter name, or one without NUL.",
    }
    STORE_NAME_TAKEN: Refused, 503 {
        summary: "The name already leads to a session.",
        why: "\
            Keys, aliases and idempotency keys are unique over the whole store. `details.session` says \
            where this one leads. Nothing was written.",
        remedy: "Use the session that the name leads to, or choose another name.",
    }
    STORE_NEWER: Io, 503 {
        summary: "A later version of engross has written the store.",
        why: "\
            Its tables or entries may mean things that this version does not know. So it neither reads nor \
            changes them.",
        remedy: "\
            Use that version, or one after it. While servers of one database are replaced one by one, \
            ask again: a server that was replaced answers.",
    }
    STORE_SESSION_UNKNOWN: Refused, 503 {
        summary: "There is no such session.",
        why: "\
            The id has the right form, but this store does not have a session with it. It may belong to \
            another store: look at `--store` and `--data`.",
        remedy: "List the sessions, or begin a new one.",
    }
    STORE_TOO_LARGE: Refused, 503 {
        summary: "More was to be written at once than one request may.",
        why: "\
            Entries, names, values and the snapshot of one request may have 64 MiB together. Large \
            content belongs into files, not into the session's log. Nothing was written.",
        remedy: "Write it in parts, or as a file.",
    }
    STORE_UNAVAILABLE: Io, 503 {
        summary: "The store does not answer for now.",
        why: "\
            The Postgres server is down, restarting or not reachable, all its connections are busy, or \
            the disk reported a failure. The last request may have been done all the same, if only its \
            answer got lost.",
        remedy: "\
            Ask again: engross finds the server by itself when it is back. A request with an \
            `Idempotency-Key` can be repeated safely.",
    }
    STORE_UNUSABLE: Io, 503 {
        summary: "The store cannot be used as it was named.",
        why: "\
            The folder does not exist, a right is missing, the file is the database of another program, \
            or the address of the Postgres server is wrong: its form, user, password, database, schema, \
            encoding or certificate. Asking again will not help.",
        remedy: "Correct what the message names.",
    }
}

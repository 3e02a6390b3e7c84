//! The codes of object storage.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    BLOBS_UNAVAILABLE: Io, 503 {
        summary: "The object storage did not keep or give a file.",
        why: "\
            It does not answer, refuses the key, or does not have the bucket. A run does not fail for it: \
            its files are on the machine that made them, and a warning of the run names those that are \
            only there.",
        remedy: "\
            Look at the log of the storage, and at the key and bucket. A download that was cut can be \
            repeated.",
    }
    BLOBS_UNUSABLE: Io, 503 {
        summary: "The object storage for the files of tasks cannot be used as it was named.",
        why: "\
            The address is not of the form `s3://bucket/prefix`, or the settings in the environment \
            (`AWS_REGION`, `AWS_ENDPOINT_URL`, …) do not fit together. Asking again will not help.",
        remedy: "\
            Correct what the message names. For storage that is not Amazon's set `AWS_ENDPOINT_URL`; an \
            endpoint that begins with `http://` is taken as it is.",
    }
    BLOB_CHANGED: Io, 503 {
        summary: "A file was not kept in object storage because it was changed meanwhile.",
        why: "\
            Something still wrote to the file after the run had ended, so its bytes are not those that \
            the run's list names.",
        remedy: "Let the agent end everything it started before its turn ends; then run the task again.",
    }
    BLOB_MISSING: Io, 503 {
        summary: "The object storage has not all of a file that is said to be there.",
        why: "\
            Nodes with folders of their own keep what owners have in object storage, and the database says \
            what is there. An object was removed by somebody else, or the bucket and the database are not of \
            one moment. What the owner has is not opened, so that nothing more is lost.",
        remedy: "\
            Put the bucket back as it was, or the database and the bucket as they were at one time. What is \
            found there again is opened within seconds.",
    }
    BLOB_UNREADABLE: Io, 503 {
        summary: "A file could not be read to keep it in object storage.",
        why: "The disk failed, or a right is missing.",
        remedy: "Look at the file and the disk that the message names.",
    }
}

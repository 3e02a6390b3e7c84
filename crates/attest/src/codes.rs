//! The codes of receipts.
//!
//! Must never lose a row: codes are in logs and in the programs of clients.

engross_protocol::codes! {
    RECEIPT_ALTERED: Refused, 400 {
        summary: "The receipt, or a file that it speaks of, is not what was signed.",
        why: "\
            A byte of the receipt, its signature or a file was altered, or a file is missing. The \
            findings name each.",
        remedy: "\
            Take the file and the receipt from where they were made. What you have changed yourself is \
            found, too: that is no fault, but it is not what the run made.",
    }
    RECEIPT_INVALID: Usage, 400 {
        summary: "The file is no receipt.",
        why: "It cannot be read as one: it is cut, has other fields, or is of a later version.",
        remedy: "Give the receipt as it was written: `.xworkmate/receipts/RUN.json`, or the JSON beside the redline.",
    }
    RECEIPT_KEY_INVALID: Usage, 400 {
        summary: "The key is none that receipts are signed with.",
        why: "A public key is 64 hexadecimal digits (Ed25519), in the argument itself or in a file.",
        remedy: "Ask for the key where the receipt was made: `engross task key` shows it.",
    }
}

//! The codes of files beneath a root.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    DISK_FULL: Io, 500 {
        summary: "There is no room for the result.",
        why: "\
            The disk or the quota is full, or the process may not make files of that size. Nothing was \
            changed: the temporary file is gone, and a file that was there before still is.",
        remedy: "Make room, or write elsewhere with `-o`.",
    }
    FILE_NOT_WRITTEN: Io, 500, rpc -32602 {
        summary: "The file was not written.",
        why: "\
            The system gives the reason in the message, or another process has the file open for writing, \
            or its content broke off on the way. What was there before is whole. If only making the new \
            name durable failed, the new file is there, but a loss of power may bring back the old one.",
        remedy: "Check the disk, or wait until the other process is done. Then repeat the request.",
    }
    FILE_TOO_LARGE: NotADocument, 422 {
        summary: "The file is larger than what is opened.",
        why: "\
            Documents may have 512 MiB, which is Word's own limit; operations, scripts and settings 64 \
            MiB.",
        remedy: "Split the document, or make its pictures smaller.",
    }
    FILE_UNREADABLE: Io, 500, rpc -32602 {
        summary: "The file cannot be read.",
        why: "\
            The system gives the reason in the message. It is none that engross knows better words for: \
            often a failing disk or a network folder that is gone.",
        remedy: "Check the disk or the connection to it, then ask again.",
    }
    INPUT_CHANGED: Io, 500 {
        summary: "The document was changed while engross was at work.",
        why: "\
            With `--in-place` the document is replaced at the end. In the meantime someone else has saved \
            or removed it, and their work would be lost. Nothing was written.",
        remedy: "Run the command again. Or write to another file with `-o` and compare.",
    }
    IS_A_DIRECTORY: NotADocument, 422 {
        summary: "The path is a folder.",
        why: "A document or a text file was expected.",
        remedy: "Name a file in it.",
    }
    NOT_FOUND: Io, 500 {
        summary: "There is no such file.",
        why: "The name is wrong, or the path is relative to another folder than the current one.",
        remedy: "Check the name and the folder. In most shells, names with spaces need quotes.",
    }
    NOT_PRIVATE: Usage, 500 {
        summary: "A file with secrets can be read or changed by others.",
        why: "\
            Its mode gives rights to the group or to everybody, so that what it holds may be known. It is \
            not used.",
        remedy: "\
            Take the rights away with `chmod 600`. If it was so for long, make new secrets: for the keys of \
            a server, `engross keys revoke` and `engross keys add`.",
    }
    NOT_UTF8: Io, 500 {
        summary: "The file is not UTF-8 text.",
        why: "\
            Operations, scripts and settings are text in UTF-8. This file holds other bytes; perhaps it \
            was saved in another encoding, or it is no text at all.",
        remedy: "Save it as UTF-8, and check that it is the right file.",
    }
    NO_SPACE: Io, 507, rpc -32602 {
        summary: "There is no room for the file.",
        why: "\
            The disk, the quota or the size that the system allows to one file is full. What was there \
            before is whole, and no part of the new file was left.",
        remedy: "Make room, then repeat the request.",
    }
    PATH_INVALID: Usage, 400, rpc -32602 {
        summary: "No file can have this path here.",
        why: "\
            It ends in a slash, has a control character or a backslash, has a part of more than 255 \
            bytes, is longer than 1024 bytes, has a part that ends in a dot or a blank, or a part that is \
            a device on Windows (`CON`, `NUL`, `COM1`, with any extension). Or what is there is no \
            ordinary file, or a file is where the path has a folder. Such names mean something else on \
            some system, so they are refused on all.",
        remedy: "Choose another path. The message says which of these it is.",
    }
    PATH_OUTSIDE_ROOT: Usage, 400, rpc -32602 {
        summary: "The path leads out of the folder that engross may touch, or could do so.",
        why: "\
            It is absolute on some system (`/a`, `C:\\a`, `\\\\server\\a`), has more `..` than folders, \
            or a symbolic link is on the way or at its end. Links are never followed, wherever they lead: \
            what they lead to could be exchanged between the check and the use. A log that is appended to \
            must also have no second name (hard link), as that may lie elsewhere.",
        remedy: "\
            Give a path beneath the root. Where a link is on the way, name the file by the folder it is \
            really in, or put a copy of it beneath the root.",
    }
    PERMISSION_DENIED: Io, 403, rpc -32602 {
        summary: "engross may not read or write the file.",
        why: "\
            The system refuses: the file or a folder on the way belongs to somebody else, or the disk is \
            read-only. Nothing was changed.",
        remedy: "Correct the permissions of the file and its folder, or run engross as a user who has them.",
    }
    PROTECTED_PATH: Usage, 403, rpc -32602 {
        summary: "The path is not for documents.",
        why: "\
            It leads into `.git`, in whatever spelling a file system takes for it, or has a name under \
            which engross keeps unfinished files (`.engross-tmp-…`, `.engross-staged-…`). A repository \
            whose configuration can be written runs what is written there.",
        remedy: "Choose another path.",
    }
    TARGET_CHANGED: Refused, 409, rpc -32602 {
        summary: "Somebody else has changed the file.",
        why: "\
            It no longer has the hash that the request expects, or its folder was moved away while the \
            request ran. To write now would destroy their work, so nothing was written. The details give \
            both hashes.",
        remedy: "Read the file again, then repeat what still applies, with its new hash.",
    }
    TARGET_EXISTS: Refused, 409, rpc -32602 {
        summary: "The file was to be new, but there is one.",
        why: "\
            Another request or program has made it, perhaps after this request began. `engross chat` \
            finds a file where the edits of a new session were to go. It was not touched.",
        remedy: "\
            Overwrite it if it may go, or choose another path. In a chat: go on with the file itself by \
            `--in-place`, write elsewhere with `-o`, or remove it.",
    }
    TARGET_IS_DIR: Refused, 400, rpc -32602 {
        summary: "The path is a folder.",
        why: "Only files are read and written.",
        remedy: "Name a file in it.",
    }
    TARGET_MISSING: Refused, 404, rpc -32602 {
        summary: "The file was to be there, but is not.",
        why: "It was removed or renamed, or the path has a mistake. Nothing was made.",
        remedy: "Check the path, or create the file.",
    }
    TARGET_REQUIRED: Usage, 400, rpc -32602 {
        summary: "The request names no file.",
        why: "The path is empty or only blanks.",
        remedy: "Give a path beneath the root, with `/` between folders: `notes/plan.md`.",
    }
}

//! The codes of write sessions, and of the findings and warnings about what they wrote.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    AMBIGUOUS_END: Refused, 409 {
        summary: "It is not clear whether a `DONE` line ends the file.",
        why: "\
            Text follows the line, and the end marker never came; or the line stands inside a code fence \
            that is still open. engross does not guess: a wrong guess would cut the file, or add talk to \
            it.",
        remedy: "\
            Reply with `DONE` alone if the file ends before that line. Reply with the end marker alone if \
            all of it is the file. Anything else goes on with the file.",
    }
    ARGS_INVALID: Usage, 400 {
        summary: "The options of a write session, or the arguments of a tool call, are wrong.",
        why: "\
            An option is unknown, has a wrong value, or does not go with the operation; or the JSON of a \
            call is broken: a quote inside the content that is not escaped, a field that comes twice or \
            is not known. The message names it. engross does not repair JSON, because a repaired content \
            may be a wrong one.",
        remedy: "\
            Correct what the message names. Better than content inside JSON: begin a write session, and \
            send the content as plain text.",
    }
    CANCELLED: Refused, 409 {
        summary: "The write session was cancelled.",
        why: "Its sender gave it up. Nothing was written, and what had come was deleted.",
        remedy: "Begin another session if the file is still wanted.",
    }
    CHATTER_REMOVED: Done, 200 {
        summary: "A line before a continuation was removed.",
        why: "\
            The model was asked to go on with the file, and said something first. The repeated text that \
            followed showed where the file goes on. The warning quotes the line.",
        remedy: "If the line belongs to the file, patch it in.",
    }
    CONFLICT_MARKER: Done, 200 {
        summary: "The file has the marker of a merge conflict.",
        why: "A conflict was not resolved, or its markers were copied.",
        remedy: "Resolve it, and remove the markers.",
    }
    CONTENT_CHANGED: Refused, 409 {
        summary: "The file is not any more what was written.",
        why: "\
            An operation names a write session in `contentFrom`, but its file was changed or removed \
            since. Whose words they are now is not known, so they are not used.",
        remedy: "Write the text anew, and name that write session.",
    }
    CONTENT_MISSING_TRUNCATED: Refused, 400 {
        summary: "A tool call broke off before any content came.",
        why: "\
            The arguments of the call end too early, mostly because the model reached its output limit. \
            There is nothing to go on from.",
        remedy: "\
            Begin a write session, and send the content as plain text: it can be gone on with where it is \
            cut.",
    }
    CONTENT_NOT_WRITTEN: Refused, 409 {
        summary: "The text is not whole yet.",
        why: "\
            An operation names a write session in `contentFrom` whose file has not been written: content \
            is still coming, or was found faulty.",
        remedy: "Finish the write session first; then send the operation again.",
    }
    CONTINUATION_LIMIT: Refused, 409 {
        summary: "The file was gone on with often enough, and has no end.",
        why: "\
            There is a limit of rounds (16); a round must add something; and a round that repeats an \
            earlier one is a loop. The message says which of them it was. What has come is kept.",
        remedy: "\
            Write the file in several smaller ones, or go on by hand at the offset that the answer names. \
            Otherwise cancel the session.",
    }
    CONTINUATION_UNCLEAN: Refused, 409 {
        summary: "The text that was to go on with the file does not join it.",
        why: "\
            It begins with words to the reader, with a code fence that is not of the file, or with the \
            file from its beginning but different; or it repeats the last lines and then goes on from \
            another place. None of it was taken.",
        remedy: "\
            Send it again, from the very next character, with nothing around it. The model is asked to \
            once.",
    }
    DOCUMENT_NOT_COMPOSED: Refused, 400 {
        summary: "No Word document can be made of the content of a write session.",
        why: "\
            The content is not UTF-8, or holds characters that no document may hold, such as control \
            characters.",
        remedy: "\
            The message names what is wrong. Send the content without it; in a session that mends itself, \
            a patch is enough.",
    }
    ELISION: Done, 200 {
        summary: "A line stands for text that was left out.",
        why: "\
            Models shorten what they were given: a comment says that the rest is unchanged. In the file \
            the rest is gone.",
        remedy: "Write the text that the line stands for, or patch the file instead of writing all of it.",
    }
    EMPTY_CONTENT: Refused, 400 {
        summary: "The content ended, and there was nothing in it but blanks.",
        why: "\
            Nothing was written. The model ended the content before it began, or sent it in a way that is \
            not content, such as reasoning.",
        remedy: "\
            Send the content; the session is still open. If an empty file is meant, begin with \
            `allow_empty`.",
    }
    ENCODING_INVALID: Refused, 422 {
        summary: "Some bytes of the content are not UTF-8.",
        why: "\
            The message names the first of them, counted in bytes received. The content is in another \
            encoding, or was cut within a character. Nothing was written.",
        remedy: "\
            Send UTF-8. With `encoding: \"replace\"` the session puts U+FFFD in their place, and the \
            receipt says how often.",
    }
    ENCODING_REPLACED: Done, 200 {
        summary: "Some bytes of the content were not UTF-8.",
        why: "The session was begun with `encoding: \"replace\"`: U+FFFD stands in their place.",
        remedy: "Look for U+FFFD in the file, and correct these places.",
    }
    INCOMPLETE: Refused, 409 {
        summary: "The content has no end.",
        why: "\
            The turn ended without the end line: the model reached its output limit, a filter stopped it, \
            the connection broke, or it forgot the end line. Whatever the label says, a file without an \
            end is not written. What has come is kept.",
        remedy: "\
            Go on at the offset that the answer names. The model is asked to by itself where engross \
            calls it. Otherwise cancel the session.",
    }
    LEFT_OUT: Done, 200 {
        summary: "The document does not say all of the Markdown that was sent.",
        why: "\
            A document was made of Markdown, and something in it means nothing there: a picture whose file \
            was not given, a link to a heading that does not exist, front matter. The warning says what \
            stands in its place.",
        remedy: "Correct the Markdown if it matters; pictures can be put in with `insert_image`.",
    }
    LOOKS_UNFINISHED: Done, 200 {
        summary: "The file looks as if it were cut.",
        why: "\
            A code fence or an element is not closed, or the file ends with a heading or within a \
            sentence.",
        remedy: "Look at the end of the file. If it is as meant, there is nothing to do.",
    }
    MARKER_IN_CONTENT: Refused, 422 {
        summary: "The end marker of the session stands in a line with other text.",
        why: "\
            A marker counts only alone on its line. Here something stands before or behind it, so that it \
            did not end the file and would be written into it.",
        remedy: "Send the content again, or a patch of that line, with the marker on a line of its own.",
    }
    MOJIBAKE: Done, 200 {
        summary: "The text was decoded wrongly.",
        why: "UTF-8 was read as Latin-1 somewhere on the way, so that one letter became two.",
        remedy: "Find where the text comes from, and read it as UTF-8.",
    }
    NOT_KEPT: Done, 200 {
        summary: "A file was replaced, and no checkpoint of it was kept.",
        why: "It was larger than checkpoints of files may be. The message says how large they may be.",
        remedy: "Keep a copy of large files yourself before a model replaces them.",
    }
    NOT_VALIDATED: Done, 200 {
        summary: "The file was not looked into.",
        why: "\
            It is larger than 16 MiB, or it is source code that takes too long to parse, or this program \
            was built without the feature `code`, which holds the grammars. The message says which. It \
            was written as it came.",
        remedy: "\
            Check it with a tool of its format. To have source code checked, build with \
            `cargo build --features code`.",
    }
    OFFSET_MISMATCH: Refused, 409 {
        summary: "The bytes do not belong at the offset they were sent for.",
        why: "\
            They leave a gap behind what has come, or differ from what came there before, or came so long \
            ago that they cannot be compared any more. None of them was taken.",
        remedy: "\
            Ask for the session's state, and go on at its `offset`. It counts all bytes received, end \
            lines included, and never starts again.",
    }
    ONLY_A_PART: Done, 200 {
        summary: "The file has only a part of the lines that were refused before.",
        why: "\
            A model that was asked to send a file again, because it had errors, has sent something that \
            lacks its beginning, its end or most of its lines. It was asked once more, and sent the same.",
        remedy: "Look at the file. If lines are missing, have it written again: what was there before is kept.",
    }
    OVERLAP_AMBIGUOUS: Done, 200 {
        summary: "\
            A file was gone on with in a place where its lines repeat, so it is not certain how many of \
            them were meant.",
        why: "\
            A model that is asked to go on repeats the last lines, and those are removed. Where the file \
            ends in a run of the same lines, a part that is longer or shorter would fit as well. What the \
            model was asked to repeat was removed; everything behind that is in the file. The warning \
            says how many bytes were removed and how many would have fitted.",
        remedy: "\
            Look at the place where the lines repeat. If there are too many or too few of them, patch the \
            file.",
    }
    PATCH_AMBIGUOUS: Refused, 422 {
        summary: "What the patch is to replace is in the file several times.",
        why: "The message names the lines. engross does not choose for you. The file is as it was.",
        remedy: "\
            Quote more of the words around, so that it is found once, or name lines instead. A pattern \
            with the flag `g` means every match.",
    }
    PATCH_DELETES: Done, 200 {
        summary: "A patch came without a text, so what it replaces was deleted.",
        why: "The lines or the text that the patch names were replaced by nothing.",
        remedy: "If that was not meant, undo it, and send the patch with its new text.",
    }
    PATCH_INVALID: Refused, 422 {
        summary: "The patch makes no sense for this file.",
        why: "\
            A line does not exist, the first line comes after the last, the text is empty, or the pattern \
            is wrong or too large. The message says which. The file is as it was.",
        remedy: "Correct the patch. Lines count from 1.",
    }
    PATCH_NO_MATCH: Refused, 422 {
        summary: "What the patch is to replace is not in the file.",
        why: "\
            The text or pattern does not occur. engross looks for it exactly, apart from the line ends; \
            nothing similar is taken. The file is as it was.",
        remedy: "Read the file and quote the place as it is there, or name lines instead.",
    }
    PROMPT_ARTEFACT: Done, 200 {
        summary: "A line belongs to a conversation with a model, not to the file.",
        why: "An end line or a token of the model's format came along.",
        remedy: "Remove the line.",
    }
    SESSION_CONFLICT: Refused, 409 {
        summary: "Another write session has the same target.",
        why: "\
            Two sessions that write one file would overwrite each other. Names that differ only in \
            spelling or case mean the same file.",
        remedy: "Wait until the other session has ended, or cancel it.",
    }
    SESSION_EXPIRED: Refused, 410 {
        summary: "Nothing came for this write session for too long.",
        why: "\
            A session without any input is given up after some minutes, so that it blocks nobody. Nothing \
            was written.",
        remedy: "Begin another session, and send the content again.",
    }
    SESSION_NOT_FOUND: Refused, 404 {
        summary: "There is no write session of this id.",
        why: "It was deleted, or never begun, or its spool was cleaned up after a day.",
        remedy: "Begin another session. Ids are given by the begin call and are not to be made up.",
    }
    SYNTAX_ERROR: Done, 200 {
        summary: "The file does not parse.",
        why: "\
            It has an error in its format or language at the line and column that the finding names. In \
            source code only errors count that the file before did not have.",
        remedy: "\
            Correct the place. If the file is meant to be so, begin with `validate: \"warn\"` or \
            `\"off\"`.",
    }
    TEXT_AFTER_END: Done, 200 {
        summary: "Text came after the end of the file.",
        why: "It is not in the file. Mostly it is a remark of the model.",
        remedy: "If it belongs to the file, append it.",
    }
    UNEVEN_COLUMNS: Done, 200 {
        summary: "A row has more or fewer columns than the first.",
        why: "A value with a comma or a line end is not in quotes, a bar in a Markdown table has no backslash, or the row is cut.",
        remedy: "Put such values in double quotes, write `\\|` for a bar in a cell, and complete the row.",
    }
    UNSUPPORTED_TARGET: Usage, 400 {
        summary: "A file of this kind cannot be written like this.",
        why: "\
            A Word document is a package of parts. A `.docx` is made anew of Markdown that is sent \
            (`create`, `overwrite`); text cannot be put behind one, or patched into one. Templates and \
            documents with macros (`.dotx`, `.docm`) are not made.",
        remedy: "\
            For a new document send Markdown with `create` or `overwrite`. A document that is there is \
            changed with `engross edit` and `engross apply`, or with the tools for documents in a session.",
    }
    UNWRAPPED: Done, 200 {
        summary: "What was around the whole file was taken away: a code fence, words outside it, reasoning.",
        why: "The session was begun with `unwrap: \"auto\"`, and the model had put that around the file. The warning says what went.",
        remedy: "If it belongs to the file, begin with `unwrap: \"off\"`.",
    }
    VALIDATION_FAILED: Refused, 422 {
        summary: "The content is not what the name of the file says.",
        why: "\
            Errors stop a file of data (JSON, TOML, YAML, XML), and any file when `validate` is `strict`. \
            The message names the first; the prompt for the model has more, each with its lines. The \
            target is as it was.",
        remedy: "\
            Send a patch of the content, or all of it again, up to three times. If it is meant to be as \
            it is, begin with `validate: \"warn\"` or `\"off\"`.",
    }
    WRITE_DECLINED: Refused, 409 {
        summary: "The person did not agree to the file.",
        why: "In a chat, a file is shown before it takes its place. It was declined, so nothing was written.",
        remedy: "Say what you want instead; or allow all files with `a` or `--auto`.",
    }
}

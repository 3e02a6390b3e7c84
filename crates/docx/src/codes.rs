//! The codes of documents, packages and operations, with their pages.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

/// The row of one error code. `docx` knows no exit statuses or protocols; it carries the numbers for those that do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeRow {
    /// The code itself, upper snake case. It never changes.
    pub name: &'static str,
    /// The exit status of a command that ends with it: 1 refused, 2 usage, 3 no usable document.
    pub exit: u8,
    /// The HTTP status of a request that fails with it.
    pub status: u16,
    /// What happened, in one sentence.
    pub summary: &'static str,
    /// Why it happens.
    pub why: &'static str,
    /// What to do next.
    pub remedy: &'static str,
}

macro_rules! rows {
    ($($name:ident: $exit:literal, $status:literal {
        summary: $summary:literal, why: $why:literal, remedy: $remedy:literal,
    })+) => {
        /// All codes of this crate and of `xml`. `INVALID_OPERATION`, which write sessions give too, stands with the shared ones.
        pub const ALL: &[CodeRow] = &[$(CodeRow {
            name: stringify!($name),
            exit: $exit,
            status: $status,
            summary: $summary,
            why: $why,
            remedy: $remedy,
        }),+];
    };
}

rows! {
    AMBIGUOUS_TARGET: 1, 422 {
        summary: "Several places fit, and nothing says which is meant.",
        why: "\
            The words occur more than once in the place where they are looked for. engross does not \
            choose for you. The message lists the candidates.",
        remedy: "\
            Name the paragraph by `paragraphIndex`, quote more of the words around, or say which by \
            `occurrence`: a number from 1, `\"first\"`, `\"last\"` or `\"all\"`.",
    }
    COMMENTED_CONTENT: 1, 422 {
        summary: "The paragraph carries a comment, which deleting would take away.",
        why: "\
            The deletion could be accepted, and then the comment would be gone without anybody having \
            decided on it. The message says who wrote which comment, and `commentIds` of the result names \
            them.",
        remedy: "\
            Take the comment away with `comment_delete`, if that is what you want; resolving it is not \
            enough. Or take the text away with `edit_paragraph`, which leaves the comment where it is.",
    }
    COMMENT_NOT_FOUND: 1, 422 {
        summary: "The document has no comment with that id, or the comment has no place in the text.",
        why: "\
            `comment_reply`, `comment_resolve` and `comment_delete` take the `id` that `engross comments` \
            lists, and that a reading shows as `c:ID`. The message names the ids that there are.",
        remedy: "\
            Run `engross comments FILE`, and use an id from there. To say something new, use \
            `insert_comment`.",
    }
    CONTENT_CONTROL_LOCKED: 1, 422 {
        summary: "The text lies in a content control that cannot be typed into.",
        why: "\
            The control is locked, is bound to data elsewhere in the file, or offers a fixed choice such \
            as a list, a date or a check box. Word would refuse the same edit or overwrite it.",
        remedy: "\
            Fill it in with `fill_control`, which knows lists, dates, check boxes and bound data; a locked \
            control must be unlocked in Word first.",
    }
    CONTROL_NOT_FOUND: 1, 422 {
        summary: "The document has no content control with that number, tag or title.",
        why: "\
            Controls are named by the number that `engross read --controls` gives them, by their tag or by \
            their title. The message lists controls that there are.",
        remedy: "Read the controls again and name one of them.",
    }
    CONTROL_VALUE_REFUSED: 1, 422 {
        summary: "The content control does not take that value.",
        why: "\
            A list takes one of its items, a date control a date, a check box `true` or `false`, a plain text \
            control one line unless it says otherwise. Pictures, citations, groups and controls around other \
            controls or table rows take no value at all. The message says which it is, and lists the items.",
        remedy: "Give a value of that kind, or fill in the controls inside of it.",
    }
    EXPECTED_TEXT_MISMATCH: 1, 422 {
        summary: "The paragraph does not say what was expected.",
        why: "\
            The operation has an `expectedText`, which is a guard, and the paragraph has another text. \
            The message shows it. Nothing was done.",
        remedy: "Read the paragraph again and decide anew.",
    }
    FIELD_EDIT_REFUSED: 1, 422 {
        summary: "The edit would change the result of a field.",
        why: "\
            The text is computed by Word: a page number, a table of contents, a cross-reference, a date. \
            The next update would overwrite the edit. Deleting a paragraph in which only a part of a \
            field stands would break the field.",
        remedy: "\
            Edit the text around the field, or what it refers to: the heading for a table of contents, \
            the numbered paragraph for a reference.",
    }
    FORMAT_REVISION: 1, 422 {
        summary: "A pending revision already changes the look of this text or paragraph.",
        why: "\
            Word keeps one record of what a run or a paragraph looked like before. A second change of its \
            look would have to overwrite the first one, and with it whose it was.",
        remedy: "\
            Accept or reject the pending change of the look (`engross revisions` lists it), then format \
            again. Edits of the words are not concerned.",
    }
    INSIDE_INSERTION: 1, 422 {
        summary: "The text lies within somebody's pending insertion that cannot be cut in two.",
        why: "\
            A tracked change stands beside another author's insertion, so that each of the two can be \
            accepted or rejected by itself. What that insertion put there as a whole, a link or a content \
            control, has no such place: a change within would come and go with it.",
        remedy: "\
            Accept or reject that insertion first (`engross revisions` lists it, and the message names \
            it), then edit again. One's own insertions of earlier rounds are edited as they are: \
            `\"own\": \"author\"` claims those that no record knows.",
    }
    INVALID_CONTENT: 1, 422 {
        summary: "The new text holds a character that no document can.",
        why: "\
            XML has no place for control characters such as U+0000 to U+001F, save tab and line ends. The \
            message names the character.",
        remedy: "Leave it out.",
    }
    INVALID_CURSOR: 2, 400 {
        summary: "There is no such place to read on from.",
        why: "The paragraph does not exist in this story, perhaps because the document has changed since.",
        remedy: "\
            Use the `cursor` of the last reading, or a number such as `P120` that exists. To begin anew, \
            leave it out.",
    }
    INVALID_PATTERN: 2, 400 {
        summary: "A search gave a regular expression that is none, or one that is too large.",
        why: "The message says where it ends to make sense. Look-around and back-references do not exist here: a search takes time linear in the text.",
        remedy: "Correct it, or look for words instead: `--search` takes a text as it stands.",
    }
    LEGACY_DOC: 3, 422 {
        summary: "The file is a Word 97–2003 document (`.doc`) or another old Office file.",
        why: "\
            Before `.docx`, Office kept documents in binary compound files. They have nothing in common \
            with `.docx` but the name of the program. A `.doc` renamed to `.docx` is still a `.doc`.",
        remedy: "\
            Open the file in Word or LibreOffice and save it as `.docx`, or run `soffice --convert-to \
            docx FILE`.",
    }
    MOVE_REFUSED: 1, 422 {
        summary: "The paragraph cannot be moved as a tracked change.",
        why: "\
            A move is a copy in one place and a deletion in the other. That cannot be tracked for the \
            last paragraph of its place, for one that ends a section, for one with a comment, a note, a \
            content control or pending revisions, or over the border of a table.",
        remedy: "\
            Delete the paragraph and insert its text where it shall stand, or accept and resolve what is \
            pending first.",
    }
    MOVE_REVISION: 1, 422 {
        summary: "The text is part of a tracked move.",
        why: "\
            Somebody has moved it, and the move has not been accepted or rejected yet. A change inside a \
            move cannot be taken back by itself.",
        remedy: "Accept or reject the move first.",
    }
    NOTHING_TO_RESTORE: 1, 422 {
        summary: "No pending revision deletes the whole paragraph.",
        why: "\
            `restore_paragraph` is a counter-proposal: it inserts again what somebody else's pending \
            revision deletes, behind it, and leaves their revision as it is. A paragraph of which words \
            are left is edited, not restored.",
        remedy: "\
            Use `edit_paragraph` to put words back, or `engross reject --id` to reject the deletion \
            itself.",
    }
    NOT_ATTEMPTED: 1, 422 {
        summary: "The operation was taken back because of another one.",
        why: "\
            The batch is `atomic`: all of its operations are applied, or none. Another one was refused; \
            its own result says why.",
        remedy: "Correct the refused operation and send the batch again, or leave `atomic` out.",
    }
    NOT_A_ZIP: 3, 422 {
        summary: "The file is not a `.docx` document: it is no zip archive.",
        why: "\
            A `.docx` file is a zip archive of XML parts. This file is something else, and the message \
            says what it looks like: an empty file, an RTF, PDF, HTML or plain text file, a Word 2003 \
            XML file, another kind of archive, or nothing that engross knows. The ending of a \
            file name says nothing about its content; an `.rtf` renamed to `.docx` is still RTF. A zip \
            archive hidden inside another format, such as an attachment of a PDF, is not opened.",
        remedy: "\
            * RTF, HTML, text, Word XML: open it in Word or LibreOffice and save it as `.docx`.\n* HTML \
            that you did not expect: it is probably a sign-in or error page of the site you downloaded \
            from. Sign in and download again.\n* PDF: ask for the document that it was made from.\n* \
            Empty or all zero bytes: the content was lost. Restore it from a backup or download it again.",
    }
    NOT_TRACKABLE: 1, 422 {
        summary: "The change cannot be tracked, and the operation does not allow that.",
        why: "\
            WordprocessingML has no revision for it, so rejecting would not give back the text or the layout \
            of the source: data that a control is bound to, a new header, merged cells. The message names it.",
        remedy: "\
            Send the operation with `\"untracked\": \"allow\"` if the change may stand without a revision. \
            `untracked` of its result then names what was changed so.",
    }
    NOT_WORDPROCESSING: 3, 422 {
        summary: "The file is an Office file, but not a Word document.",
        why: "\
            Its main part has another root than `w:document`, for example that of a workbook or a \
            presentation. The ending of a file name says nothing about its content.",
        remedy: "\
            Give a `.docx` file. A template (`.dotx`) or a document with macros (`.docm`) has the right \
            root and can be read.",
    }
    NO_FRAGMENT: 2, 400 {
        summary: "Those paragraphs cannot be handed over by themselves.",
        why: "\
            A fragment holds whole blocks of one place. Paragraphs of two cells, a part of a table, a \
            paragraph that ends a section or one that is only a half of a field are no such blocks. \
            The message says which it is.",
        remedy: "\
            Ask for the whole table or the whole field, or hand over the whole document.",
    }
    NO_MAIN_PART: 3, 422 {
        summary: "The package has no main document.",
        why: "\
            A `.docx` file says in `_rels/.rels` which of its parts is the document. Here nothing is \
            said, or the part is not there. The file is damaged, or it is another kind of zip archive.",
        remedy: "Open the file in Word or LibreOffice and save it anew. If that fails, get a fresh copy.",
    }
    OBJECT_EDIT_REFUSED: 1, 422 {
        summary: "The edit would move, invent or remove an inline object.",
        why: "\
            Pictures, footnote marks, equations and embedded files are not text. Where a text edit would \
            take one away, or a label such as `⟦footnote 3⟧` names one that is not there, it is refused.",
        remedy: "\
            Leave the label where it stands in the paragraph, and write no new ones. Remove objects in \
            Word.",
    }
    OVERLAPPING_OPERATIONS: 1, 422 {
        summary: "An earlier operation of the batch already changes this text.",
        why: "\
            All operations of a batch mean the document as it was before the batch. Two that change the \
            same words contradict each other, so the later one is refused.",
        remedy: "\
            Make one operation of the two, or send the later one in a batch of its own, after reading \
            again.",
    }
    PACKAGE_ENCRYPTED: 3, 422 {
        summary: "The document is encrypted.",
        why: "\
            The document is protected by a password to open it or by a rights service, or parts of its \
            zip archive are encrypted. engross never asks for passwords and cannot read such a file. (A \
            password that only restricts *editing* is something else and does not cause this error.)",
        remedy: "\
            Open the document in Word with the password. Choose *File › Info › Protect Document › Encrypt \
            with Password*, clear the password, and save. For a zip archive with a password, unpack it \
            and save the document anew.",
    }
    PART_NAME_INVALID: 3, 422 {
        summary: "A part of the document has a name that is not allowed.",
        why: "\
            Each part of a `.docx` file has a name such as `word/document.xml`. The name in the message \
            is empty, is an absolute path, has a `.` or `..` segment, contains a NUL character, ends like \
            a folder, or belongs to two parts at once (upper and lower case count as equal). Such names \
            can point outside the document or make programs read different parts. Backslashes instead of \
            slashes are accepted.",
        remedy: "\
            If the file came like this, open it in Word or LibreOffice and save it anew. If you packed it \
            yourself, pack it from inside its folder, with relative names and no duplicates.",
    }
    PART_NOT_FOUND: 3, 422 {
        summary: "The document has no part of this name.",
        why: "\
            Something asked for a part, such as `word/comments.xml`, that is not in the file. Either the \
            name is wrong, or the document refers to a part that was lost. Upper and lower case, a \
            leading slash, and backslashes make no difference.",
        remedy: "\
            Check the name. If the document should have the part, open it in Word or LibreOffice, which \
            may repair it, and save it anew.",
    }
    PROOF_FAILED: 1, 422 {
        summary: "An edit could not be proven reversible, so it was taken back.",
        why: "\
            Every edit is tried before it counts: rejecting it must give back the source, accepting it \
            the wanted text, and neither may break a rule of the format. Here one of these did not hold. This \
            is a fault of engross, not of your document or your words. If it is said of one operation, the others stand. If it is said of \
            the whole document, nothing was written.",
        remedy: "\
            Please report it, with the document if you can. Until then try a smaller edit, such as \
            `modify_text` with fewer words, or edit the place in Word.",
    }
    REFERENCE_BROKEN: 1, 422 {
        summary: "A reference elsewhere would lead nowhere, or to something else.",
        why: "\
            Fields and links refer to text by a bookmark. The operation deletes or replaces that text, and references elsewhere \
            stay: Word would print an error for them, or the number of another clause. The message names where they stand. It is \
            judged at the end of the batch, so references that are deleted in the same batch do not count; entries of tables \
            of contents never do. References to text that moves are led to its new place by themselves, unless one of them is of \
            a kind that cannot change as a tracked change; the message says which.",
        remedy: "\
            Change or delete those references in the same batch, or decide by `references`: `{\"retarget\": \"P12\"}` lets them \
            lead to another paragraph, `\"drop\"` makes them the plain text that they show. Both are tracked changes.",
    }
    RESEARCH_NOT_AVAILABLE: 1, 422 {
        summary: "Nothing was looked up in the web.",
        why: "\
            `perform_research` is carried out by the model's provider. This model has no search of its \
            own, or the operation stood in a batch, which has no model at all.",
        remedy: "\
            Ask a model that searches: `anthropic/…`, `gemini/…`, an OpenAI model made for it such as \
            `openai/gpt-5-search-api`, or one of a router with `:online` behind its name. \
            [models.md](../guide/models.md) tells more.",
    }
    SECTION_BREAK_PARAGRAPH: 1, 422 {
        summary: "The paragraph ends a section.",
        why: "\
            It carries the page layout of the section before it: size, margins, headers, columns. If it \
            were deleted, that text would take on the layout of the next section.",
        remedy: "\
            Take its text away with `edit_paragraph` and leave the paragraph. Delete the section break in \
            Word, if that is what you want.",
    }
    SPLIT_REFUSED: 1, 422 {
        summary: "The paragraph cannot be split there.",
        why: "\
            The place lies inside a link, a field or a content control, which cannot go on in another \
            paragraph.",
        remedy: "Put the break before or after it.",
    }
    STALE_REVISION: 1, 409 {
        summary: "The operations were made for another state of the document.",
        why: "\
            They carry an `expectedRevision`, and the document has another one: it was changed in the \
            meantime. Paragraph numbers could mean other paragraphs now, so nothing was done. `details` \
            holds both revisions.",
        remedy: "\
            Read the document again, make the operations anew, and give the `revision` of that reading. \
            Or leave `expectedRevision` out, if you are sure.",
    }
    STORY_EXISTS: 1, 422 {
        summary: "The section has such a header or footer already.",
        why: "A section shows one header and one footer of each kind. The message names the one that is there.",
        remedy: "Edit that one, by `target` with its name, such as `header:default@1/P1`.",
    }
    STORY_NOT_EDITABLE: 1, 422 {
        summary: "What was asked for cannot be in this part of the document.",
        why: "\
            Word has comments only in the body, in footnotes and in endnotes. A part that gives one \
            namespace prefix two meanings can be read, but not edited safely; it is never damaged by \
            edits elsewhere.",
        remedy: "\
            Put the comment beside the text in the body. If the message names a prefix, save the file \
            once in Word and edit that copy.",
    }
    STRUCTURED_CONTENT_INVALID: 1, 422 {
        summary: "The rows of a table do not fit together, or not into the table.",
        why: "\
            Each row of a Markdown table, and each list of `replace_content`, needs as many texts as the \
            others, and no more than the table has columns.",
        remedy: "\
            Give every row the same number of texts; an empty text is `\"\"`. Add a column first \
            (`add_column`) if the table needs more.",
    }
    STYLE_NOT_FOUND: 1, 422 {
        summary: "The document has no such paragraph style.",
        why: "\
            `style` is compared with the ids and the names of the document's own paragraph styles. \
            engross makes no new ones.",
        remedy: "Use a style that `engross read` shows, or leave `style` out to take that of the neighbour.",
    }
    TABLE_EDIT_REFUSED: 1, 422 {
        summary: "The table cannot be changed that way.",
        why: "\
            Rows and columns are counted from 0, and only those that are there can be named. A range of \
            paragraphs must hold a table whole, or lie within one cell. Columns of a table with merged \
            cells have no one place, so they cannot come or go.",
        remedy: "\
            Read the table again: `T:r,c` names row and cell. Use `update_cell` for texts of merged \
            cells, and a range that holds the whole table to replace it.",
    }
    TARGET_NOT_FOUND: 1, 422 {
        summary: "No paragraph has that address.",
        why: "\
            The number is beyond the last paragraph, no paragraph has that id or fingerprint, or none \
            contains the words.",
        remedy: "\
            Read the document again and use an address from that reading. Paragraph numbers change when \
            paragraphs are inserted.",
    }
    TEXT_DELETED: 1, 422 {
        summary: "The text, or the border between two paragraphs, is there only as a pending deletion.",
        why: "\
            Somebody's tracked change deletes it, and it has not been accepted or rejected yet. An edit \
            of deleted text would have no meaning, and nothing can stand between two paragraphs that are \
            about to become one.",
        remedy: "\
            Reject that deletion first, insert the text anew, or put the new paragraph before or after \
            the two.",
    }
    TEXT_NOT_FOUND: 1, 422 {
        summary: "The text is not there.",
        why: "\
            The words do not occur in the paragraph, or in the body if no paragraph was named. Quotes, \
            dashes, special spaces and ellipses count as equal to their plain forms; other characters \
            must be the same. The message shows the nearest text.",
        remedy: "\
            Copy the words from a reading of the document. List markers such as `2.1` do not belong to \
            the text.",
    }
    UNKNOWN_REVISION: 2, 400 {
        summary: "The document has no tracked change with that id.",
        why: "\
            `engross accept --id` and `engross reject --id` take the ids that `engross revisions` lists. \
            An id that is used twice in the file is listed with its part, as `word/document.xml#7~2`, so \
            that each change has one name. A change that was accepted or rejected has none any more.",
        remedy: "Run `engross revisions FILE` and use an id from there.",
    }
    UNKNOWN_STORY: 2, 400 {
        summary: "The document has no such story.",
        why: "\
            A story is a body of text of its own: the body, a header, a footer, the footnotes, a comment. \
            The message lists what this document has.",
        remedy: "Use one of the names in the message, for example `--story footnotes`.",
    }
    UNSUPPORTED_NAMESPACES: 3, 422 {
        summary: "The document cannot be edited safely because of its XML namespaces.",
        why: "\
            Somewhere below its root, the main part binds the prefix of Word's own elements to something \
            else. New elements with that prefix could mean another thing. Reading works; editing is \
            refused.",
        remedy: "\
            Open the file in Word or LibreOffice and save it anew: both write one namespace declaration \
            for the whole part.",
    }
    XML_DOCTYPE: 3, 422 {
        summary: "A part of the document has a DOCTYPE.",
        why: "\
            Office documents never have one. Attackers use it to make a program read other files or use \
            up its memory, so it is always refused.",
        remedy: "\
            Do not trust the file. If you know where it comes from, open it in Word or LibreOffice and \
            save it anew.",
    }
    XML_ENCODING: 3, 422 {
        summary: "A part of the document is neither UTF-8 nor UTF-16.",
        why: "\
            Office documents may have only these two encodings. The part says another one, or holds bytes \
            that are not valid in its own.",
        remedy: "\
            Open the file in Word or LibreOffice and save it anew. If a program made the file, have it \
            write UTF-8.",
    }
    XML_LIMIT: 3, 422 {
        summary: "A part of the document goes beyond the limits for XML.",
        why: "\
            Elements may be nested 512 deep and have 1,024 attributes; a part may have 256 MiB and 8 \
            million elements and texts. Real documents stay far below. The limits protect the machine \
            from files that are made to exhaust it.",
        remedy: "\
            If you do not know where the file comes from, do not trust it. Else open it in Word, save it \
            anew, or split it.",
    }
    XML_MALFORMED: 3, 422 {
        summary: "A part of the document is not well-formed XML.",
        why: "\
            An element is not closed, an attribute has no value, an entity is unknown, or similar. The \
            message names the part, line and column; `details` holds them, too. Nothing is repaired by \
            guessing.",
        remedy: "\
            Open the file in Word or LibreOffice, let it repair the file, and save it anew. If a program \
            made the file, correct that program.",
    }
    ZIP_BOMB: 3, 422 {
        summary: "The `.docx` file is too large to open safely.",
        why: "\
            The file, or what it unpacks to, is above a limit; the message says which. The limits protect \
            the machine from archives that are made to exhaust its memory.\n\n| Limit | Default | \
            |---|---| | the file itself | 512 MiB | | number of parts | 10 000 | | one part, unpacked | \
            256 MiB | | all parts, unpacked | 512 MiB | | unpacked size of a part above 1 MiB | 800 times \
            its packed size |\n\nWhat the archive says about sizes is checked first, what really comes \
            out again while unpacking. Ordinary documents stay far below: very repetitive ones reach 90 \
            times their packed size.",
        remedy: "\
            If the file comes from somebody you do not know, do not open it elsewhere either. If you \
            trust it, open it in Word or LibreOffice and save it anew, make its pictures smaller, or \
            split it.",
    }
    ZIP_DAMAGED: 3, 422 {
        summary: "The zip archive of the `.docx` file contradicts itself.",
        why: "\
            Something in the archive is wrong, and the message names the part: the directory is \
            unreadable or has another number of entries than it says, a part is not where the directory \
            says, entries overlap, the two headers of an entry differ, compressed data is broken or cut \
            off, or what comes out does not match the size or checksum. engross refuses such files \
            instead of guessing, because different programs would read different documents from them.",
        remedy: "\
            Get a fresh copy of the file. If there is none, open it in Word or LibreOffice, which may \
            repair it, check the text, and save it as a new `.docx`.",
    }
    ZIP_TRUNCATED: 3, 422 {
        summary: "The `.docx` file is incomplete: its end is missing.",
        why: "\
            A zip archive keeps the directory of its parts at the end. The file begins like an archive, \
            but there is no directory, so a download or copy stopped early. A cut-off document that has \
            another document embedded in it is recognised as well; the embedded one is never taken for \
            the whole.",
        remedy: "\
            Download or copy the file again in full and compare the sizes. If this is the only copy, \
            Word's *Open and Repair* may save some of the text.",
    }
    ZIP_UNSUPPORTED: 3, 422 {
        summary: "The zip archive uses a feature that engross does not handle.",
        why: "\
            The message says which: a compression method other than *stored* and *deflate*, which are the \
            only ones that documents may use; an archive split over several files; or a result that would \
            have more than 65 534 parts or be larger than 4 GiB.",
        remedy: "\
            Open the file in Word or LibreOffice and save it anew. For a split archive, join the pieces \
            first.",
    }
}

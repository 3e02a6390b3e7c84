//! The codes of sessions, workspaces, tools and edit runs.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    ANSWER_CUT: Model, 500 {
        summary: "The model's answer was cut off by its length limit.",
        why: "\
            Half an answer can look like a whole one, so none of its calls was carried out. If the answer \
            had calls, the model is told and may send smaller ones; if it had only words, the run ends.",
        remedy: "Ask for less at once, or choose a model with longer answers.",
    }
    ANSWER_FILTERED: Model, 500 {
        summary: "The provider's content filter stopped the model.",
        why: "\
            The provider refuses to go on with this text. What was applied until then is in the file; the \
            answer says that it is not complete.",
        remedy: "Rephrase the instruction, or choose another model.",
    }
    ANSWER_INTERRUPTED: Refused, 500 {
        summary: "The answer broke off on the server.",
        why: "The server stopped, or lost the answer, before its end. What was sent before is only a part.",
        remedy: "\
            Repeat the request. With the `Idempotency-Key` that it had, the answer is taken up again \
            where that is possible, and `Last-Event-ID` leaves out what was received; without such a key \
            the message is answered anew.",
    }
    ANSWER_MISSING: Refused, 500 {
        summary: "The session had nothing to answer.",
        why: "The request was accepted, but no turn was open. This should not happen; please report it.",
        remedy: "Send a new user message.",
    }
    ANSWER_ELSEWHERE: Usage, 400 {
        summary: "`previous_response_id` belongs to another session than the one that the request names.",
        why: "A request goes on in one session. Its key, or `conversation`, names another one than the response.",
        remedy: "Send the key, or the id of the response, but not both.",
    }
    ANSWER_SUPERSEDED: Refused, 409 {
        summary: "The session has gone on since the response that the request goes on from.",
        why: "\
            Without a session key a branch begins there, as a session of its own. A session with a key has \
            one line of conversation.",
        remedy: "Leave the key out to branch off, or the id of the response to go on with the session.",
    }
    ANSWER_UNKNOWN: Refused, 404 {
        summary: "There is no such response.",
        why: "Its session was deleted, or never had an answer of this number.",
        remedy: "Send the conversation itself, or the id of another response.",
    }
    ARGUMENTS_MALFORMED: Done, 200 {
        summary: "The model called a tool with arguments that are no JSON object.",
        why: "\
            This is a warning: the call was not made, the client was not asked, and the model was told to \
            send it again.",
        remedy: "Nothing, if the turn went on. A model that does this often is too small for its tools.",
    }
    CALLS_EXPIRED: Refused, 500 {
        summary: "The results of a turn's calls did not come in time.",
        why: "\
            The model called tools of the client. Their results may come within 30 minutes; behind that \
            the session gave each open call an error as its result, and the turn was over.",
        remedy: "\
            Send a new message: the model sees which calls have no result. Results that come now are \
            refused.",
    }
    CALL_LIMIT: Refused, 500 {
        summary: "The model made too many calls at once.",
        why: "\
            Of one answer, 32 calls are carried out. The others are sent back, and the model may make \
            them again. You see this code only in the conversation.",
        remedy: "Nothing, if the run ends well. Else ask for less at once.",
    }
    CALL_NOT_OPEN: Refused, 409 {
        summary: "No open call fits the result.",
        why: "\
            Its `tool_call_id` is that of no open call, and the tool's name does not single one out. \
            `details.open` names the calls that are open. Nothing was stored.",
        remedy: "\
            Send the id that came with the call. In a new session send the whole conversation, with the \
            message that holds the call.",
    }
    CONTENT_TOO_LONG: Refused, 500 {
        summary: "A text in an operation of a model is too long.",
        why: "Long texts in the arguments of a tool call are cut too easily. An operation takes 64 KiB.",
        remedy: "\
            Write the text as a file (`WritePlanTool_begin`), then name its `session_id` in `contentFrom` \
            instead of the text.",
    }
    CONVERSATION_MENDED: Done, 200 {
        summary: "The conversation was mended: what the client sent of it, or a copy for a provider that refused it.",
        why: "\
            A client that keeps the history itself may cut it off behind a call, send a result twice, or send it behind \
            later words. Results without a call are left out then, and others are put behind their calls. \
            Some providers refuse a conversation whose calls and results do not stand as they expect. \
            engross then tries copies: with calls and results paired anew, without them, with the last \
            message only. The log keeps what really happened.",
        remedy: "\
            Nothing. Of a history that the client sent, send calls and results together and in their order. If a provider refuses often, \
            please report it with its words.",
    }
    DOCUMENT_NOT_READ: Refused, 500 {
        summary: "The model wanted to edit a document that it has not read.",
        why: "\
            In a workspace with several documents the model sees only their names at first. An edit by \
            paragraph numbers that it never saw could hit anything. Nothing was changed.",
        remedy: "The model is told to call `read_document` first; a person need do nothing.",
    }
    EDITS_DECLINED: Refused, 500 {
        summary: "The person did not agree to the edits.",
        why: "\
            In a chat, edits are shown before they are made. These were declined, so nothing was changed. You see this \
            code only in the conversation.",
        remedy: "Say what you want instead; or allow all edits with `a` or `--auto`.",
    }
    HISTORY_LEFT_OUT: Done, 200 {
        summary: "The model was not given the whole conversation.",
        why: "\
            The session keeps everything, but gives the model only the last turns of what it has stored \
            (ten, unless set otherwise), and no message that the provider refused for good. Pictures and files of \
            earlier messages have 16 MiB of room; words stand for those before. What a client sends itself is \
            never left out.",
        remedy: "\
            Nothing, if the beginning does not matter. Otherwise raise the number of turns, or send the \
            whole conversation with the request.",
    }
    IDEMPOTENCY_KEY_INVALID: Usage, 400 {
        summary: "The idempotency key cannot be used.",
        why: "It is empty, too long, or holds a character that no key may have.",
        remedy: "Use a key of 1 to 255 printable characters, such as a UUID.",
    }
    LISTENER_GONE: Refused, 409 {
        summary: "Nobody listened to the answer any more.",
        why: "\
            The connection was closed, and nobody came back within the time of grace. What was said and \
            done until then is in the log.",
        remedy: "\
            Send the message again. For turns that shall go on without a listener, set `background` to \
            true.",
    }
    MESSAGES_EMPTY: Usage, 400 {
        summary: "The request has nothing to answer.",
        why: "\
            It holds no user message and no tool result, only words of the model or standing \
            instructions. Nothing was stored.",
        remedy: "Send a message with role `user`, or the result of an open call with role `tool`.",
    }
    NOTHING_NEW: Refused, 409 {
        summary: "The session has all of these messages, and has answered them.",
        why: "\
            The request repeats the conversation up to an answer of the model, and adds nothing. Nothing \
            was stored, and the model was not called.",
        remedy: "\
            Add a new user message. If you want the same answer once more because the first was lost on \
            the way, repeat the request with the `Idempotency-Key` that the first one had.",
    }
    NO_PROGRESS: Model, 500 {
        summary: "Nothing that the model tried to change could be changed, in two rounds in a row; in four, if it only tried to begin files.",
        why: "\
            The model proposed changes twice, and each was refused or failed. Going on would cost calls \
            and change nothing. The reasons stand in the answer; what was applied before is kept, and the \
            conversation can go on.",
        remedy: "\
            Read the reasons, then say more exactly what to change and where, or choose another model. A \
            new message gives the model a new chance.",
    }
    REPEATED_CALL: Model, 500 {
        summary: "The model made the same call again and again, and got nowhere.",
        why: "\
            It does not get on. A tool of the server is called twice in a row at most. A tool of the client is \
            called each time, unless it says that it is idempotent; eight results that are all the same end \
            the turn. What was applied until then is in the file; the answer says that it is not complete.",
        remedy: "Say more exactly what to change, or choose another model.",
    }
    RESULTS_MISSING: Refused, 409 {
        summary: "The session waits for the results of its calls, and the request brings none.",
        why: "\
            The model called tools of the client. Its turn goes on when all results are there. \
            `details.open` names the calls.",
        remedy: "\
            Send the results with role `tool` and the calls' ids, or a new user message: that closes the \
            open calls and begins a new turn.",
    }
    RESULT_DUPLICATE: Refused, 409 {
        summary: "The call has its result already.",
        why: "\
            A call has exactly one result. It was sent before, twice in this request, or the session gave \
            the call up: because a new message came, or its deadline had passed. Nothing was stored.",
        remedy: "\
            Do not send it again. If the result matters all the same, send its content in a new user \
            message.",
    }
    ROUNDS_EXHAUSTED: Model, 500 {
        summary: "The model was not done when its calls were used up.",
        why: "\
            One run may call the model six times, unless `max_rounds` says otherwise. What was applied \
            and proven until then is in the file; the answer says that it is not complete.",
        remedy: "\
            Review what was applied, then ask for the rest in another run. For long work raise \
            `max_rounds` in the settings.",
    }
    SESSION_BUSY: Refused, 429 {
        summary: "Too many requests wait for this session.",
        why: "\
            A session answers one request after the other. So many wait already that this one was not \
            taken. Nothing was stored.",
        remedy: "\
            Wait for the answers that are on their way, then try again. Use a session of its own for each \
            conversation.",
    }
    SESSION_DAMAGED: Io, 503 {
        summary: "An entry of the session's log cannot be read.",
        why: "\
            It is no entry of a kind that this version knows. A newer version may have written it, or the \
            store was changed by hand.",
        remedy: "Update engross, or begin a new session under another key. The log stays as it is.",
    }
    SESSION_KEY_INVALID: Usage, 400 {
        summary: "The session key cannot be one.",
        why: "\
            The message says why: it is empty, longer than 512 bytes, not UTF-8, holds control \
            characters, is one of the reserved names `subagent:`, `cron:` and `acp:`, or begins with \
            `agent:` without the form `agent:AGENT:NAME`. The same holds for the field `user`.",
        remedy: "Send another key, such as the document's name or a UUID; or none, for a new session.",
    }
    SESSION_LOST: Io, 503 {
        summary: "The session could not be read back.",
        why: "The store said a moment ago that it is there, and does not find it now. Nothing was stored.",
        remedy: "\
            Try again. If it stays so, look at the server's log: the store may have been replaced while \
            the server ran.",
    }
    SESSION_TAKEN: Refused, 409 {
        summary: "A session cannot be copied, as another one is in its place.",
        why: "\
            The store that it was to be copied to has a session of this id that is another one or has gone \
            on, or one of its names leads to another session there. Nothing of the session was copied.",
        remedy: "Delete the session in the other store with `engross sessions delete`, or leave this one out.",
    }
    SESSION_UNKNOWN: Refused, 404 {
        summary: "There is no session with this key.",
        why: "No request with this key was accepted yet, or it belongs to somebody else.",
        remedy: "\
            Send a first message with this key. Look at the header `x-engross-session-key` of an earlier \
            answer for the key that counts.",
    }
    SETTING_INVALID: Usage, 400 {
        summary: "A setting of a session is not what it must be.",
        why: "\
            The message names the setting. `author` has 1 to 255 bytes without control characters, \
            `system_prompt` at most 65,536 bytes, `history_turns` is 1 to 1000, `history_tokens` 0 or 500 to 10,000,000 and \
            `max_rounds` 1 to 100.",
        remedy: "Send the settings again with that one mended. Nothing was set.",
    }
    TOOL_CALL_MISSING: Refused, 502 {
        summary: "The request requires a call of a tool, and the model made none.",
        why: "\
            `tool_choice` was `required` or named a function. Some models and servers do not hold to it. \
            What the model said instead is in the session.",
        remedy: "Ask again, let the model choose (`auto`), or take another model.",
    }
    TURN_CANCELLED: Done, 409 {
        summary: "The turn was cancelled.",
        why: "\
            Somebody asked for it, or the server stopped while it ran. What was said and done until then \
            is in the log.",
        remedy: "Send the message again, if you still want an answer.",
    }
    TURN_SUPERSEDED: Refused, 500 {
        summary: "A new message came before the turn was over.",
        why: "\
            Open calls were closed without a result, and the conversation went on with the new message. \
            The log keeps both.",
        remedy: "Nothing, if that was meant. Otherwise send the results of calls before the next message.",
    }
    UNKNOWN_TOOL: Refused, 500 {
        summary: "The model called a tool that does not exist.",
        why: "\
            There are `read_document`, `apply_redlines` and, with a model whose provider searches the \
            web, `perform_research`. The model is told and may correct itself. You see this code only in \
            the conversation.",
        remedy: "\
            Nothing, if the run ends well. Small models make this mistake more often; choose a larger one.",
    }
    WORKSPACE_UNKNOWN: Refused, 404 {
        summary: "There is no workspace of that name.",
        why: "\
            `x-engross-workspace` names a folder below the server's root. It begins to exist with its \
            first file.",
        remedy: "\
            Put a file into it with `PUT /v1/workspaces/NAME/files/PATH`, mend the name, or leave the \
            workspace out.",
    }
}

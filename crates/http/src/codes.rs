//! The codes of requests.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    BODY_INCOMPLETE: Refused, 408 {
        summary: "The body of the request broke off, or stopped coming.",
        why: "\
            The connection was closed in the middle of the body, or nothing of it came for 30 seconds. \
            Nothing of the request was used.",
        remedy: "Send the request again.",
    }
    BODY_TOO_LARGE: Usage, 413 {
        summary: "The body of the request is too large.",
        why: "\
            A request may have 20 MiB, a file that is put into a workspace 64 MiB. The rest of the body \
            was received and thrown away, so that this answer can be read.",
        remedy: "\
            Send less. With a session key the session knows the history, so only what is new has to be \
            sent. Long documents belong into tool results that are read piece by piece.",
    }
    CONTENT_IGNORED: Done, 200 {
        summary: "A part of the request was left out.",
        why: "\
            This is a warning: the request was carried out without the part, whose type nobody knows, and \
            without messages that hold no text or have an unknown role. The message names the place. \
            Pictures, sound and files are not left out: they are refused (`INVALID_REQUEST`).",
        remedy: "If the part matters, send it as text.",
    }
    INVALID_REQUEST: Usage, 400 {
        summary: "A field, header or path of the request has a value that it cannot have.",
        why: "\
            The message names the field, such as `messages[2].content`, and what it has to be; \
            `details.field` holds the name alone. Nothing of the request was used.",
        remedy: "Correct the field, or leave it out. The fields are listed in `docs/protocol/sessions.md`.",
    }
    MESSAGE_MISSING: Usage, 400 {
        summary: "The request holds no message to answer.",
        why: "\
            There is no message of the role `user` or `tool` with text. Instructions alone and messages \
            of the assistant ask for nothing; pictures are not read.",
        remedy: "Send at least one message of the person, or the result of a call.",
    }
    METHOD_NOT_ALLOWED: Usage, 405, rpc -32600 {
        summary: "The route does not know the method.",
        why: "The route is there, but not for this method.",
        remedy: "Use a method that the header `Allow` lists.",
    }
    NOT_TRACKED: Done, 200 {
        summary: "A redline does not have a difference as a tracked change.",
        why: "\
            This is a warning of `POST /v1/compare`: Word has no tracked change for the difference, or \
            engross does not write it. The message names the place and what differs.",
        remedy: "Ask with `Accept: application/json` for all of them, and make the change by hand if it matters.",
    }
    ORIGIN_NOT_ALLOWED: Usage, 403 {
        summary: "A page may not use the server, or the server was called by a name that is not its own.",
        why: "\
            A browser sends the origin of the page with each request. Only pages of this machine may \
            call, and those that the server was told. Without a token the server also refuses names other \
            than `localhost`, `127.0.0.1` and `[::1]`, because any page could make a name of its own lead \
            here.",
        remedy: "\
            Start the server with `--cors ORIGIN` if the page is yours. To reach it by another name, \
            start it with `--token`.",
    }
    PARAMETER_IGNORED: Done, 200 {
        summary: "A field of the request has no effect.",
        why: "\
            This is a warning: the request was carried out. The field changes answers elsewhere but not \
            here: the model that answers does not take it, or nobody knows it. The header \
            `x-engross-warnings` holds the warnings of an answer.",
        remedy: "Leave the field out, and do not rely on it.",
    }
    QUOTA_EXCEEDED: Refused, 507 {
        summary: "The owner of the key has as much on the server as it may.",
        why: "\
            Sessions in the store and files beneath the owner's folders are counted together. The message says how much \
            there is and how much is allowed. Nothing of the request was taken in; reading and deleting go on.",
        remedy: "\
            Delete sessions (`DELETE /v1/sessions/KEY`) or files, then ask again: what there is, is counted anew within \
            seconds. Who runs the server sets `quota_mib` in `[serve]`, or for one owner in `[serve.owners.NAME]`.",
    }
    RESPONSE_IN_USE: Refused, 409 {
        summary: "The response is part of a conversation with others.",
        why: "What a later response rests on cannot be deleted beneath it. Nothing was deleted.",
        remedy: "Delete the session as one: `DELETE /v1/sessions/KEY`. The message names it.",
    }
    RESPONSE_NOT_FOUND: Refused, 404 {
        summary: "`previous_response_id` is not the id of a response.",
        why: "Ids of responses have the form `resp_SESSION_NUMBER`. The one that was sent has not.",
        remedy: "\
            Send the `id` of an earlier response as it is, or leave `previous_response_id` out for a new \
            session.",
    }
    RIGHT_MISSING: Usage, 403, rpc -32003 {
        summary: "The key may not do what was asked for.",
        why: "\
            Each key has one right. `read` looks at what its owner has; `write` also talks, changes and \
            deletes; `admin` also sees how the server is. The message names the right that is missing.",
        remedy: "Use a key with the right. `engross keys list` shows which there are, `engross keys add` makes one.",
    }
    ROUTE_NOT_FOUND: Refused, 404 {
        summary: "There is nothing at this path.",
        why: "The path is none of the server's. A slash at the end counts.",
        remedy: "Compare the path with the list that `GET /openapi.json` gives.",
    }
    TOOL_IGNORED: Done, 200 {
        summary: "A tool was left out.",
        why: "\
            This is a warning: the request was carried out without the tool. Only functions can be \
            called; tools that a provider would carry out itself, such as `web_search`, are not there.",
        remedy: "If the tool matters, offer it as a function and carry it out yourself.",
    }
    TOOL_INVALID: Usage, 400 {
        summary: "A tool, or the choice of one, cannot be understood.",
        why: "\
            The message names the place: a tool that is no function, a name that is missing, has other \
            characters than letters, digits, `_`, `-` and `.`, or is there twice, parameters that are no \
            JSON Schema, or a choice of a tool that is not offered.",
        remedy: "Correct the tool that the message names.",
    }
    TOO_MANY_ATTEMPTS: Refused, 429 {
        summary: "Too many wrong tokens came from the same address.",
        why: "\
            An address may send 20 wrong tokens, and one more every three seconds. Until then requests from \
            it are refused, unless they carry a token that was right before from there.",
        remedy: "Wait as `retry-after` says, and correct the token. The server's log names the address.",
    }
    UNAUTHORIZED: Usage, 401 {
        summary: "The token is missing or wrong.",
        why: "The server has a token or keys, and the request carried none of them.",
        remedy: "\
            Send `Authorization: Bearer TOKEN`: the token that the server was started with, or a key of \
            `engross keys add`. After a change of keys the server has to be told by SIGHUP.",
    }
}

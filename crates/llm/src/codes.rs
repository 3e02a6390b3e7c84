//! The codes of models and their providers.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    MODEL_AUTH: Model, 502 {
        summary: "The provider refused the API key.",
        why: "\
            It answered with HTTP 401 or 403: the key is wrong, expired, belongs to another account, or \
            may not use this model. What the provider said is quoted in the message, without the key. The \
            request is not repeated.",
        remedy: "\
            Check what the message names: the environment variable, or a key of your own that you gave in the \
            pane of Word. If it is right, check at the provider that the key may use the model.",
    }
    MODEL_BAD_REQUEST: Model, 400 {
        summary: "The provider does not accept the request.",
        why: "\
            It answered with an HTTP status of 300 to 499 other than 401, 403 and 429: the model does not \
            exist there, the conversation is too long for it, or it knows no tools. Redirects are not \
            followed. The request is not repeated.",
        remedy: "\
            Read what the provider said in the message. Check the model's name; after a redirect, set the \
            address to where it leads.",
    }
    MODEL_KEY_MISSING: Model, 502 {
        summary: "The provider needs an API key.",
        why: "\
            The provider's environment variable is not set, is blank, or holds characters that no key \
            has, such as a line break in the middle.",
        remedy: "\
            Set the variable that the message names. Without a key, `rules`, `script:FILE` and \
            `ollama/NAME` can be used.",
    }
    MODEL_NOT_OFFERED: Usage, 404 {
        summary: "The server does not offer the model.",
        why: "\
            The request or the session's settings name a model that the server was not given, or the model \
            of one's own whose key was forgotten since; or the server accepts only the models that it lists; or `GET /v1/models/NAME` asked for one that it \
            does not list.",
        remedy: "\
            Use `engross`, or a name that `GET /v1/models` lists, and set the session's settings to it \
            (`PUT /v1/sessions/KEY/settings`); or give the key again. No other model is asked in its place. Which models there are is decided where \
            the server is started.",
    }
    MODEL_PROTOCOL: Model, 502 {
        summary: "The provider gave an answer that cannot be read.",
        why: "\
            An event was not the JSON that the format asks for, or the answer was no stream at all, or it \
            stopped for a reason that is not known. Nothing of the answer is used.",
        remedy: "\
            Ask again. If it happens each time, check the address: a web page or another kind of server \
            may be behind it.",
    }
    MODEL_RATE_LIMITED: Model, 429 {
        summary: "The provider refuses more requests for now.",
        why: "\
            It answered with HTTP 429, also after three repetitions, or it asked to wait longer than a \
            minute. Repetitions wait as long as the provider asks, else 0.5, 1 and 2 seconds. \
            `details.retryAfterSeconds` holds what it asked for, if it did.",
        remedy: "\
            Wait and ask again. If it happens often, raise the limit or the credit at the provider, or \
            choose another model.",
    }
    MODEL_SCRIPT_INVALID: Model, 502 {
        summary: "The script of a `script:` model is not valid.",
        why: "\
            The file is not JSON, or holds a field or value that scripts do not have. Unknown fields are \
            refused, so that a misspelt condition cannot match everything. `details.line` and \
            `details.column` hold the place.",
        remedy: "Correct the script at the line and column that the message names.",
    }
    MODEL_STREAM_ERROR: Model, 502 {
        summary: "The provider failed in the middle of its answer.",
        why: "\
            It began to answer with success and then reported an error, such as being overloaded. What \
            had arrived is not used.",
        remedy: "Ask again. What the provider said is quoted in the message.",
    }
    MODEL_TIMEOUT: Model, 504 {
        summary: "The provider sent nothing for too long.",
        why: "\
            Nothing came for 120 seconds, before the answer or in the middle of it. The request is not \
            repeated, as it may still be running there.",
        remedy: "\
            Ask again, or choose a faster model. Ollama may need the time to load a model: ask once more \
            when it has.",
    }
    MODEL_TOO_LARGE: Model, 502 {
        summary: "The model's answer is too large.",
        why: "\
            An answer may have 16 MiB of text and arguments, 64 MiB on the wire, and 128 tool calls. More \
            is a fault of the model or the server, and nothing of it is used.",
        remedy: "Ask for less at once. If it happens with small questions, the server is at fault.",
    }
    MODEL_TRUNCATED: Model, 502 {
        summary: "The model's answer was cut off before its end.",
        why: "\
            The connection ended or broke before the provider said that the answer is whole. What had \
            arrived is not used: half an answer can look like a whole one.",
        remedy: "\
            Ask again. If it happens each time, look for a proxy or gateway between here and the provider \
            that ends long connections.",
    }
    MODEL_UNAVAILABLE: Model, 502 {
        summary: "The provider cannot be reached, or fails on its side.",
        why: "\
            No connection could be made within 10 seconds, or the provider answered with HTTP 5xx, also \
            after three repetitions. It also appears when this machine has no root certificates, without \
            which no https address can be trusted. Proxies of the environment are not used.",
        remedy: "\
            Check the network and the address that the message names; for Ollama, that it runs. Else ask \
            again later.",
    }
    MODEL_UNKNOWN: Usage, 502 {
        summary: "The model is not one of those understood.",
        why: "\
            The text of `--model` is none of `openai/NAME`, `anthropic/NAME`, `gemini/NAME`, \
            `ollama/NAME`, `openai-compatible:URL#NAME`, `script:FILE` and `rules`. Or the address that \
            belongs to it is not an http or https URL, or holds credentials or a query, which could end \
            up in logs.",
        remedy: "\
            Correct the text, or the environment variable with the address that the message names. Keys \
            go into the provider's own variable, such as `OPENAI_API_KEY`, or `OPENAI_COMPATIBLE_API_KEY` \
            for `openai-compatible:`.",
    }
}

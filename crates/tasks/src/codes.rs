//! The codes of runs, of the protocol in front of them, and those that agents and gateways have in common.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    ACP_BRIDGE_RESTART: Refused, 200 {
        summary: "The server was restarted while an agent worked on the task.",
        why: "\
            The agent's process ended with the server, and an agent cannot be made to go on in the middle \
            of a turn. What it had written lies in the folder of the run, but is not delivered.",
        remedy: "\
            Ask again: `session.message` goes on with the conversation where the agent can, \
            `session.start` begins anew.",
    }
    AGENT_LOST: Refused, 200 {
        summary: "The agent is gone before it was done.",
        why: "Its process ended, or it closed the connection, without saying how the turn ended.",
        remedy: "Look at the agent's own log, then ask again.",
    }
    ARTIFACT_WAIT_CANCELLED: Refused, 200 {
        summary: "The wait for the files of a task was cancelled.",
        why: "\
            The agent had ended before; only the listing of its files was still to come. Nothing of it is \
            delivered, also when the files are there later.",
        remedy: "Start the task again if you want its files.",
    }
    CALLBACK_NOT_ALLOWED: Refused, 200, rpc -32602 {
        summary: "A job names an address to be called back, and this server calls none.",
        why: "An address in a request could make the server reach machines that only it can reach.",
        remedy: "Leave `callbackUrl` and the like out, and ask with `xworkmate.jobs.get`.",
    }
    GATEWAY_PROVIDER_REQUIRED: Refused, 200, rpc -32602 {
        summary: "No provider is set up for what was asked.",
        why: "The request names a target and no provider, and the server has none to choose.",
        remedy: "Name one in `routing`; `acp.capabilities` lists them.",
    }
    NATIVE_CANCEL_UNCONFIRMED: Refused, 200 {
        summary: "The agent was asked to stop and did not confirm.",
        why: "It did not answer within five seconds, or its answer was no receipt. The task may go on.",
        remedy: "Ask with `xworkmate.tasks.get` how it stands, then cancel again.",
    }
    OPENCLAW_ARTIFACT_UNREACHABLE: Refused, 200 {
        summary: "A file of the run cannot be fetched from the gateway.",
        why: "\
            The files are on the gateway's machine, and one of them is too large to be fetched, has \
            changed since it was listed, or is in no folder that the gateway hands files out of. Or the \
            answer names a file (`MEDIA:`) that is neither in the folder of the task nor among the media \
            of a gateway on this machine. Some of the files alone would not be the result.",
        remedy: "\
            The message names the file. Let the agent make it smaller, or leave it in the folder that it \
            was told; then ask again.",
    }
    OPENCLAW_ATTACHMENT_FILE_TOO_LARGE: Refused, 200, rpc -32602 {
        summary: "An attachment has more than 10 MiB.",
        why: "Attachments travel inside the request.",
        remedy: "Send a smaller file, or put it into the workspace and name its path.",
    }
    OPENCLAW_ATTACHMENT_INVALID_BASE64: Refused, 200, rpc -32602 {
        summary: "An attachment is no base64, or has other bytes than its `sha256` says.",
        why: "Its bytes were damaged or cut on the way.",
        remedy: "Encode the file again and send the request again.",
    }
    OPENCLAW_ATTACHMENT_TOTAL_TOO_LARGE: Refused, 200, rpc -32602 {
        summary: "The attachments of a request have more than 25 MiB.",
        why: "Attachments travel inside the request.",
        remedy: "Send fewer of them, or several requests.",
    }
    OPENCLAW_ATTACHMENT_WRITE_FAILED: Refused, 200, rpc -32602 {
        summary: "An attachment could not be handed to the agent.",
        why: "\
            The folder of the run cannot be written to, or the disk is full; or, for a gateway on another \
            machine, the file could not be read again to be sent along. The agent was not begun.",
        remedy: "Make room or correct the rights, then ask again.",
    }
    OPENCLAW_GATEWAY_BUSY: Refused, 200, rpc -32002 {
        summary: "No place was free for the task.",
        why: "\
            Either as many tasks wait as may (`data.reason` is `queue_full`), or this one waited longer \
            than it was allowed to (`queue_timeout`). Nothing was begun.",
        remedy: "Ask again later, or allow a longer wait with `queueTimeoutMs`.",
    }
    OPENCLAW_GATEWAY_LOST: Refused, 200 {
        summary: "The gateway is gone.",
        why: "The connection to it ended, and it did not say how the run ended.",
        remedy: "Look whether the gateway runs, then ask again.",
    }
    OPENCLAW_GATEWAY_SOCKET_CLOSED: Refused, 200 {
        summary: "The connection to the gateway was lost.",
        why: "\
            It was restarted, or the network broke. A run that it had begun may go on there; the \
            connection is made again, and the run's end is asked for.",
        remedy: "\
            Wait: the run tells when the line is good again. If that lasts, look whether the gateway runs.",
    }
    OPENCLAW_REQUIRED_ARTIFACT_MISSING: Refused, 200 {
        summary: "Files that the task requires are not there.",
        why: "\
            The request names extensions or counts of files, and the folder of the run lacks some when \
            the agent is done. What is there is not delivered, as it is not all.",
        remedy: "Ask the agent to write the missing files into its artifact directory, or require less.",
    }
    OPENCLAW_RUN_DEADLINE_EXCEEDED: Refused, 200 {
        summary: "The task was not done in its time.",
        why: "\
            Its budget comes from `runBudgetMs`, or from `taskLoadClass`: 10, 30 or 60 minutes. The agent \
            was asked to stop.",
        remedy: "Ask again with a larger budget, or for less at once.",
    }
    OPENCLAW_TASK_PROMPT_REQUIRED: Refused, 200, rpc -32602 {
        summary: "The request does not say what is to be done.",
        why: "None of `taskPrompt`, `prompt`, `message`, `messages`, `input` and `content` has a text.",
        remedy: "Send a text in `taskPrompt`.",
    }
    OPENCLAW_TERMINAL_WITHOUT_EVIDENCE: Refused, 200 {
        summary: "The agent ended without a word and without a file.",
        why: "Nothing shows that anything was done, so it is no success.",
        remedy: "Look at the agent's own log, then ask again.",
    }
    OPENCLAW_WAIT_FAILED: Refused, 200 {
        summary: "The gateway does not say how the run stands.",
        why: "\
            The line to it was lost, or the run was silent for long, and it refuses the question for the \
            run's end. The run may have ended there, or go on.",
        remedy: "Look at the session in the gateway. Then ask again for what is missing.",
    }
    PERMISSION_ALREADY_DECIDED: Refused, 200, rpc -32602 {
        summary: "The question was answered before.",
        why: "A question has one answer: a person's, that of a policy, or no after ten minutes or a cancel.",
        remedy: "List the open questions with `xworkmate.permissions.list`.",
    }
    PERMISSION_OPTION_NOT_OFFERED: Refused, 200, rpc -32602 {
        summary: "The answer is none of those that the agent offers.",
        why: "Only the agent knows what its options mean.",
        remedy: "Send the `optionId` of one of the question's `options`, or `decision`: `cancel`.",
    }
    PERMISSION_REQUEST_NOT_FOUND: Refused, 200, rpc -32602 {
        summary: "There is no such question.",
        why: "Its id is wrong, its task has ended, or it is somebody else's.",
        remedy: "List the open questions with `xworkmate.permissions.list`.",
    }
    PERMISSION_SESSION_MISMATCH: Refused, 200, rpc -32602 {
        summary: "The question belongs to another session.",
        why: "An answer names the question and its session, and they do not belong together.",
        remedy: "Send the `sessionId` that the question was listed with.",
    }
    PROVIDER_DIRECT_PATH_DISABLED: Refused, 410, rpc -32004 {
        summary: "Providers are not reached by paths of their own.",
        why: "All tasks come in through one door, which knows whose they are.",
        remedy: "Send the request to `/acp/rpc`, and name the provider in `routing`.",
    }
    PROVIDER_NOT_FOUND: Refused, 200, rpc -32001 {
        summary: "There is no such provider, or not for this target.",
        why: "\
            The request names a provider that the server does not know, or an agent where a gateway is \
            meant.",
        remedy: "Choose one that `acp.capabilities` lists.",
    }
    PROVIDER_UNAVAILABLE: Refused, 200 {
        summary: "The provider is known and cannot be used.",
        why: "It is not installed on the server's machine, or not set up.",
        remedy: "Do what the message says, often one command, or choose another provider.",
    }
    ROUTING_REQUIRED: Refused, 200, rpc -32602 {
        summary: "The request does not say who is to carry it out.",
        why: "Nothing is guessed from the words of a task.",
        remedy: "Send `routing`, such as `{\"explicitProviderId\":\"engross\"}`.",
    }
    ROUTING_UNSUPPORTED: Refused, 200, rpc -32602 {
        summary: "The request asks for roles or several agents at once.",
        why: "This server gives a task to one provider.",
        remedy: "Leave `role`, `roleModel` and `orchestrationMode` out, and choose a provider.",
    }
    RPC_INVALID: Refused, 200, rpc -32700 {
        summary: "The request is no JSON-RPC 2.0 request.",
        why: "It is no JSON, no object, or has no method. Batches are not taken.",
        remedy: "Send one object with `jsonrpc`, `id`, `method` and `params`.",
    }
    RPC_METHOD_UNKNOWN: Refused, 200, rpc -32601 {
        summary: "There is no such method.",
        why: "\
            Its name is wrong, or it belongs to a part of the reference that this server does not have, \
            such as its desktop.",
        remedy: "See the methods in `docs/protocol/tasks.md`.",
    }
    RPC_PARAMS_INVALID: Refused, 200, rpc -32602 {
        summary: "A parameter is missing or has another type.",
        why: "Parameters are read strictly, so that a slip does not become another task.",
        remedy: "Correct the parameter that the message names.",
    }
    RUN_SCOPE_MISMATCH: Refused, 200 {
        summary: "The ids of a request do not belong to one run.",
        why: "It names, say, a run and the thread of another one.",
        remedy: "Send the ids as the task's own result has them, or fewer.",
    }
    SANDBOX_UNAVAILABLE: Refused, 200 {
        summary: "A sandbox was asked for that cannot be enforced here.",
        why: "\
            The request or the settings ask that the agent is fenced in, has no network, or keeps to a \
            quota. The kernel lacks what that needs, or the agent runs elsewhere. Nothing was started.",
        remedy: "\
            See what `engross doctor` says of the sandbox. Leave the option out, or run the task on Linux \
            6.2 or newer with Landlock and seccomp, by an agent of that machine.",
    }
    SESSION_CONTINUATION_UNAVAILABLE: Refused, 200, rpc -32002 {
        summary: "The conversation cannot go on.",
        why: "\
            The thread is not known, was closed, is with another provider, or its agent has forgotten it. \
            It is never begun anew silently.",
        remedy: "Begin a new conversation with `session.start`.",
    }
    TASK_ALREADY_TERMINAL: Refused, 200 {
        summary: "The task had ended before it was to be cancelled.",
        why: "An end never changes.",
        remedy: "Ask for its result with `xworkmate.tasks.get`.",
    }
    TASK_CANCELLED: Refused, 200 {
        summary: "The task was cancelled.",
        why: "Somebody asked for it, and the agent stopped or was stopped. Nothing is delivered.",
        remedy: "Start it again if you want it done.",
    }
    TASK_LOG_DAMAGED: Refused, 200, rpc -32002 {
        summary: "The log of a thread cannot be read.",
        why: "An entry in the store is not what was written, or was written by a later version.",
        remedy: "Use the newer version, or restore the store from a copy.",
    }
    TASK_LOOKUP_FAILED: Refused, 200 {
        summary: "A question for a task could not be answered.",
        why: "Its parameters are wrong, or the store or the disk cannot be read; the message says which.",
        remedy: "Correct the request, or look after the store, then ask again.",
    }
    TASK_NOT_FOUND: Refused, 200, rpc -32602 {
        summary: "There is no such task.",
        why: "Its ids are wrong, it was never accepted, or it is somebody else's.",
        remedy: "Look at its ids, or start it.",
    }
    TASK_SCOPE_NOT_OWNED_OR_RECOVERED: Refused, 200 {
        summary: "There is no such task here that could be cancelled.",
        why: "It is not known, is somebody else's, or is carried out by somebody else.",
        remedy: "Look at its ids; what another program carries out is cancelled there.",
    }
    TASK_SESSION_CONFLICT: Refused, 200, rpc -32602 {
        summary: "Thread and session key do not belong together.",
        why: "A thread has one session key for ever, and a key one thread, so that files never mix.",
        remedy: "Use the key that the thread's own results carry, or choose another one.",
    }
    TASK_THREAD_INVALID: Refused, 200, rpc -32602 {
        summary: "The key of the thread cannot be one.",
        why: "It is missing, longer than 512 bytes, or has a control character.",
        remedy: "Send `threadId`, such as `draft:1811-1`.",
    }
}

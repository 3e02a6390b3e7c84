//! The codes of agents that are spoken to in ACP.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    AGENT_AUTH_REQUIRED: Model, 502 {
        summary: "The agent asks for a login.",
        why: "\
            It has no account or key to reach its model with. engross never logs in for you; the message \
            names the ways that the agent offers.",
        remedy: "\
            Log in once with the agent's own command, with the account that runs engross, or give it a \
            key in its environment. See `docs/agents.md`.",
    }
    AGENT_COMMAND_INVALID: Model, 502 {
        summary: "The command line of an agent cannot be read.",
        why: "\
            It is taken apart into words, quotes and backslashes; it is not a shell. A quote is not \
            closed, or there is no program in it.",
        remedy: "Correct the command line. If you need variables or pipes, write `sh -c '…'`.",
    }
    AGENT_DEADLINE: Model, 502 {
        summary: "The time of the run was over, so the agent was stopped.",
        why: "\
            Every run has a time by which it must be done. The agent and all that it had started were \
            ended. What it had written until then is kept.",
        remedy: "Ask for more time, or split the task.",
    }
    AGENT_ERROR: Model, 502 {
        summary: "The agent answered with an error.",
        why: "It is running, but refused a request, or its model failed. Its own words are in the message.",
        remedy: "\
            Read the message: mostly it is the model that failed. Look at the agent's own log. The \
            conversation can go on with the next task.",
    }
    AGENT_EXITED: Model, 502 {
        summary: "The agent's process ended in the middle of a turn.",
        why: "\
            It crashed, was killed, or ran out of memory. Its last line of error output is in the \
            message. What it had written until then is kept, but it never said that it was done.",
        remedy: "\
            Send the task again. If it happens always, run the agent's command in a terminal, and look at \
            the memory of the machine.",
    }
    AGENT_FRAME_TOO_LARGE: Model, 502 {
        summary: "The agent sent a message that is too long.",
        why: "\
            One message may have 16 MiB, so that no agent can fill the memory of the server. Large \
            content belongs in a file of the task, not in a message.",
        remedy: "\
            Ask the agent to write large results to a file. If it embeds whole files in its updates, see \
            whether its own configuration can limit that.",
    }
    AGENT_INCOMPLETE: Model, 502 {
        summary: "The agent stopped at a limit of its own before it was done.",
        why: "\
            It reached the number of tokens or requests that its configuration allows for one turn. Its \
            text and its files are kept, but they are not all of it.",
        remedy: "Ask it to go on in the same session, or raise the limit in its configuration.",
    }
    AGENT_MODEL_UNAVAILABLE: Model, 502 {
        summary: "The agent does not offer the model that was asked for.",
        why: "\
            A task may name a model. This agent does not list it, or does not let others choose. engross \
            never takes another one silently.",
        remedy: "\
            Use one of the models in the message, leave the model out, or set it in the agent's own \
            configuration.",
    }
    AGENT_PROTOCOL: Model, 502 {
        summary: "The agent does not speak the Agent Client Protocol, version 1, as it should.",
        why: "\
            It wrote something else than messages, answers that cannot be read, asked for another version \
            of the protocol, or does not read what it is sent.",
        remedy: "\
            Check that the command starts the agent's ACP mode, such as `opencode acp` or `gemini --acp`, \
            and that its version is one of those in `docs/agents.md`. A program that prints greetings or \
            logs must send them to its error output.",
    }
    AGENT_QUOTA: Model, 502 {
        summary: "The agent used more files, bytes or processes than it may, and was ended.",
        why: "\
            What it may use is set for the server or the run. It is looked at several times a second; \
            the agent and all that it had started were ended. What it had written until then is kept.",
        remedy: "\
            Ask for less at once, or allow more: `--max-files`, `--max-bytes` and `--max-processes` of \
            `engross task run`, or `[sandbox]` in the settings. See `docs/agents.md`.",
    }
    AGENT_REFUSED: Model, 502 {
        summary: "The agent declined the task.",
        why: "It ended the turn with `refusal`: its model will not do this.",
        remedy: "Word the task differently, or give it to another agent.",
    }
    AGENT_SILENT: Model, 502 {
        summary: "The agent said nothing for a long time and was stopped.",
        why: "\
            For ten minutes it sent no text, ran no tool, and had no question open. Mostly it waits for a \
            model that does not answer.",
        remedy: "\
            Send the task again. Check the model and the network of the agent. If long silence is normal \
            for it, allow more.",
    }
    AGENT_START_FAILED: Model, 502 {
        summary: "The agent's process did not start, or ended before it was ready.",
        why: "\
            The program is there, but the system refused to start it, or it ended before it had answered \
            the first message. Mostly it lacks a key, a setting, or a newer version of Node or Python. \
            The message has the last line that it wrote; secrets in it are hidden.",
        remedy: "\
            Run the agent's command in a terminal, with the same account, and look at what it says. An \
            agent sees only a part of the server's environment: keys with other names have to be listed \
            in its configuration. See `docs/agents.md`.",
    }
    AGENT_START_TIMEOUT: Model, 502 {
        summary: "The agent did not answer in time when it was started, or when a session was opened.",
        why: "\
            The process runs, but it has not answered the message that is named. Some agents take many \
            seconds on a busy machine, or wait for a network that is not there.",
        remedy: "\
            Try again: a second start is often quicker. Allow it more time, or keep a process of it warm. \
            If it never answers, run its command in a terminal.",
    }
}

//! The codes of learning and of the skillbook.
//!
//! Must never lose a row: codes are in stores, in logs and in the programs of clients.

engross_protocol::codes! {
    AGENTS_MD_MARKERS: Refused, 422 {
        summary: "The markers round the block of lessons make no sense.",
        why: "\
            A block begins and does not end, ends before it begins, or stands inside another one; or a \
            code fence is never closed, so that a new block at the end would be code. Guessing could cut \
            what you wrote, so nothing was changed.",
        remedy: "\
            Look for `ACE:SKILLBOOK` in the file and leave one START before one END, or close the fence. \
            Or run the command with `--repair`: stray markers are taken out, nested blocks become one, \
            and the old file is kept beside it.",
    }
    LEARN_AGENT_INVALID: Usage, 422 {
        summary: "The id of an agent could lead to another folder.",
        why: "\
            Sessions of an agent are in a folder that has its id as a name. Ids hold letters, digits, \
            `-`, `_` and `.`, and do not begin with a dot.",
        remedy: "\
            Give the agent's id with `--agent` or in `OPENCLAW_AGENT_ID`, or name a folder with \
            `--sessions`.",
    }
    LEARN_ANSWER_INVALID: Model, 422 {
        summary: "The model answered with something that is no list of lessons or operations.",
        why: "\
            The model was told what was wrong and asked once more, and its second answer could not be \
            used either. Nothing of it was used; the session is not marked as learnt.",
        remedy: "\
            Run the command again later: the session is tried again. A larger model, or a smaller \
            `--pass`, helps where it happens often.",
    }
    LEARN_BUSY: Refused, 422 {
        summary: "Another run has the skillbook.",
        why: "Only one run at a time may change a skillbook. This one changed nothing.",
        remedy: "\
            Wait for the other one's end, then run the command again. A run that was killed holds nothing \
            back.",
    }
    LEARN_FORMAT_UNKNOWN: Refused, 422 {
        summary: "A session is in a format that is not known.",
        why: "\
            The file has lines, and is no session of OpenClaw, engross, Claude Code, Codex, Gemini CLI, opencode, Copilot CLI, \
            goose or Cursor, no list of messages and no trace. Nothing was learnt from it, and it is not remembered as learnt: \
            a later version that knows its format reads it.",
        remedy: "\
            Name folders and files of the programs above. Of a program that keeps sessions in a database, export them: \
            `opencode export ID`, `goose session export --format json`. For another one, convert its sessions, or wait for a \
            version that reads them.",
    }
    LEARN_NOT_EXPERIENCE: Refused, 422 {
        summary: "A lesson stands in instructions that the agent was given.",
        why: "\
            The model took over words of AGENTS.md, of another file of instructions, or of the program. \
            Nobody lived through them, and learning them again would only repeat them. The other \
            operations of the session were done.",
        remedy: "Nothing. If you want the lesson in the skillbook, add it yourself: `engross skills import`.",
    }
    LEARN_SESSIONS_MISSING: Refused, 422 {
        summary: "There is no folder with sessions.",
        why: "\
            `engross learn` reads `agents/ID/sessions` beneath `OPENCLAW_HOME`, which is `.openclaw` in \
            your home folder unless the variable says otherwise.",
        remedy: "Name the agent with `--agent`, the folder with `--sessions`, or the files themselves.",
    }
    SKILLBOOK_DAMAGED: Io, 422 {
        summary: "The journal of the skillbook has a line that cannot be read.",
        why: "\
            The journal holds everything that was learnt, one record a line. A line in its middle was \
            changed by another program or by a failing disk; a line that a crash tore at its end is no \
            damage. Nothing was changed.",
        remedy: "\
            Take the line out with an editor if you can do without it, or bring the journal back from a \
            backup. If you move it away, the book is made anew from the JSON file beside it.",
    }
    SKILLBOOK_INVALID: Refused, 422 {
        summary: "The file is no skillbook.",
        why: "\
            It is no JSON, or it has no skills. It is never written over: when it was found where the \
            skillbook should be, it was kept under the name that the message says.",
        remedy: "Put the file right, or move it away; then run the command again.",
    }
    SKILL_OPERATION_INVALID: Refused, 422 {
        summary: "An operation on the skillbook cannot be done as it is.",
        why: "\
            A field is missing, has the wrong type, or is too large. The message says which. The other \
            operations of the batch were done.",
        remedy: "Nothing, if a model asked for it. Else correct the operation.",
    }
    SKILL_PROTECTED: Refused, 422 {
        summary: "Only a person changes this skill.",
        why: "It is pinned, or a person wrote its words. Learning never changes or removes such a skill.",
        remedy: "Change it yourself, or allow it with `engross skills pin ID --off`.",
    }
    SKILL_RETIRED: Refused, 422 {
        summary: "The same lesson was taken out before.",
        why: "It did more harm than good, or a person retired it. It is not learnt again.",
        remedy: "If it is right after all, bring it back with `engross skills review --accept ID`.",
    }
    SKILL_STILL_HELPFUL: Refused, 422 {
        summary: "A skill that has helped more often than it harmed was to be removed.",
        why: "Learning removes what does harm. One session is not enough to remove what has helped others.",
        remedy: "If it is to go, run `engross skills retire ID`.",
    }
    SKILL_UNKNOWN: Refused, 422 {
        summary: "There is no skill with this id.",
        why: "Ids are exact, such as `paths-00001`.",
        remedy: "`engross skills list --all` names all of them.",
    }
}

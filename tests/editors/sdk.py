"""An editor made with the protocol's own library for Python, that lets engross redline a document.

    python3 sdk.py FOLDER AGENT [ARGUMENT]...

FOLDER holds nda.docx. It does what `sdk.mjs` does with the other library; `run` has the script of the model and looks at the frames.
"""
import asyncio
import pathlib
import sys

import acp
from acp.schema import AllowedOutcome, ClientCapabilities, Implementation

folder, command = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
document = folder / "nda.docx"
original = document.read_bytes()


class Editor(acp.Client):
    """Answers what the agent asks, and keeps what it tells."""

    answer = "reject_once"

    def __init__(self):
        self.updates, self.asked = [], []

    async def request_permission(self, session_id, tool_call, options, **_):
        self.asked.append(tool_call)
        chosen = next(option.option_id for option in options if option.kind == self.answer)
        return acp.RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen))

    async def session_update(self, session_id, update, **_):
        self.updates.append(update)

    def kinds(self):
        return {update.session_update for update in self.updates}


async def main():
    editor = Editor()
    async with acp.spawn_agent_process(editor, *command, transport_kwargs={"stderr": None}) as (engross, process):
        greeting = await engross.initialize(protocol_version=acp.PROTOCOL_VERSION, client_capabilities=ClientCapabilities(),
                                            client_info=Implementation(name="engross-check", version="1"))
        assert greeting.protocol_version == acp.PROTOCOL_VERSION
        assert greeting.agent_capabilities.prompt_capabilities.embedded_context and greeting.agent_capabilities.load_session
        begun = await engross.new_session(cwd=str(folder), mcp_servers=[])
        session = begun.session_id
        assert begun.modes.current_mode_id == "suggest"

        async def prompt(*blocks):
            editor.updates, editor.asked = [], []
            return (await engross.prompt(session_id=session, prompt=list(blocks))).stop_reason

        # The wish stands in what is embedded, and nowhere else.
        wish = [acp.text_block("Do what wishes.md says."), acp.resource_link_block("nda.docx", document.as_uri()),
                acp.resource_block(acp.embedded_text_resource((folder / "wishes.md").as_uri(), "The period shall be five years."))]
        assert await prompt(*wish) == "end_turn"
        [asked] = editor.asked
        assert "three (3) years" in asked.content[0].old_text and "five (5) years" in asked.content[0].new_text
        assert document.read_bytes() == original, "a no was no no"
        editor.answer = "allow_once"
        assert await prompt(*wish) == "end_turn" and len(editor.asked) == 1
        written = document.read_bytes()
        assert written != original, "nothing was written after a yes"
        assert {"plan", "tool_call", "tool_call_update", "agent_message_chunk"} <= editor.kinds(), editor.kinds()

        await engross.set_session_mode(session_id=session, mode_id="apply")
        assert await prompt(acp.text_block("The notice shall be sixty days.")) == "end_turn" and not editor.asked
        assert document.read_bytes() != written, "nothing was written in the mode `apply`"
        try:
            await engross.set_session_mode(session_id=session, mode_id="no such mode")
        except acp.RequestError:
            pass
        else:
            raise AssertionError("a mode that is not there was set")

        listed = await engross.list_sessions(cwd=str(folder))
        assert [(one.session_id, one.cwd) for one in listed.sessions] == [(session, str(folder))], listed
        editor.updates = []
        await engross.load_session(session_id=session, cwd=str(folder), mcp_servers=[])
        assert {"user_message_chunk", "agent_message_chunk", "tool_call"} <= editor.kinds(), editor.kinds()

        slow = asyncio.create_task(prompt(acp.text_block("Think all day.")))
        await asyncio.sleep(0.3)
        await engross.cancel(session_id=session)
        assert await asyncio.wait_for(slow, 10) == "cancelled"
        assert await prompt(acp.text_block("Good day.")) == "end_turn", "no turn after a cancelled one"
        await engross.close_session(session_id=session)
    assert process.returncode == 0, process.returncode


asyncio.run(main())

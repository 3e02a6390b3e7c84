// An editor made with the protocol's own library for TypeScript, that lets engross redline a document.
//
//     node sdk.mjs NODE_MODULES FOLDER AGENT [ARGUMENT]...
//
// FOLDER holds nda.docx. It says yes and no to a write, switches the mode, lists and loads the session, cancels a turn, and deletes the
// session. It ends with 1 and says what was otherwise than it should be. `run` has the script of the model and looks at the frames; this
// must never look at what the library has not understood.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [packages, folder, command, ...more] = process.argv.slice(2);
const library = createRequire(join(packages, "here.js")).resolve("@agentclientprotocol/sdk");
const acp = await import(pathToFileURL(library));
const { agent, client } = acp.methods;

const document = join(folder, "nda.docx");
const original = readFileSync(document);
const isOriginal = () => readFileSync(document).equals(original);
const place = { cwd: folder, mcpServers: [] };
const embedded = (text) => ({ type: "resource", resource: { uri: pathToFileURL(join(folder, "wishes.md")).href, mimeType: "text/markdown", text } });
const linked = { type: "resource_link", name: "nda.docx", uri: pathToFileURL(document).href };

let answer = "reject_once";
let updates = [];
let asked = [];
const kinds = () => updates.map((update) => update.sessionUpdate);

const child = spawn(command, more, { stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((resolve) => child.once("exit", resolve));

await acp
  .client({ name: "engross-check" })
  .onRequest(client.session.requestPermission, ({ params }) => {
    asked.push(params);
    return { outcome: { outcome: "selected", optionId: params.options.find((option) => option.kind === answer).optionId } };
  })
  .onNotification(client.session.update, ({ params }) => void updates.push(params.update))
  .connectWith(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)), async (engross) => {
    const greeting = await engross.request(agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientInfo: { name: "engross-check", version: "1" },
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
    assert.equal(greeting.protocolVersion, acp.PROTOCOL_VERSION);
    assert.ok(greeting.agentCapabilities.promptCapabilities.embeddedContext && greeting.agentCapabilities.loadSession);

    const { sessionId, modes } = await engross.request(agent.session.new, place);
    assert.equal(modes.currentModeId, "suggest");
    const prompt = async (...blocks) => {
      [updates, asked] = [[], []];
      const said = await engross.request(agent.session.prompt, { sessionId, prompt: blocks.map((block) => (typeof block === "string" ? { type: "text", text: block } : block)) });
      return said.stopReason;
    };

    // The wish stands in what is embedded, and nowhere else.
    const wish = ["Do what wishes.md says.", linked, embedded("The period shall be five years.")];
    assert.equal(await prompt(...wish), "end_turn");
    assert.equal(asked.length, 1);
    const [difference] = asked[0].toolCall.content;
    assert.equal(difference.type, "diff");
    assert.match(difference.oldText, /three \(3\) years/);
    assert.match(difference.newText, /five \(5\) years/);
    assert.ok(isOriginal(), "a no was no no");

    answer = "allow_once";
    assert.equal(await prompt(...wish), "end_turn");
    assert.equal(asked.length, 1);
    assert.ok(!isOriginal(), "nothing was written after a yes");
    assert.ok(kinds().includes("plan") && kinds().includes("tool_call"));
    assert.ok(updates.some((update) => update.sessionUpdate === "tool_call_update" && update.status === "completed"));

    await engross.request(agent.session.setMode, { sessionId, modeId: "apply" });
    const before = readFileSync(document);
    assert.equal(await prompt("The notice shall be sixty days."), "end_turn");
    assert.equal(asked.length, 0, "it asked in the mode `apply`");
    assert.ok(!readFileSync(document).equals(before), "nothing was written in the mode `apply`");
    await assert.rejects(engross.request(agent.session.setMode, { sessionId, modeId: "no such mode" }), acp.RequestError);

    const listed = await engross.request(agent.session.list, { cwd: folder });
    assert.deepEqual(listed.sessions.map((session) => [session.sessionId, session.cwd]), [[sessionId, folder]]);
    updates = [];
    await engross.request(agent.session.load, { sessionId, ...place });
    for (const kind of ["user_message_chunk", "agent_message_chunk", "tool_call"]) assert.ok(kinds().includes(kind), `loading shows no ${kind}`);

    const begun = Date.now();
    const slow = prompt("Think all day.");
    await new Promise((resolve) => setTimeout(resolve, 300));
    await engross.notify(agent.session.cancel, { sessionId });
    assert.equal(await slow, "cancelled");
    assert.ok(Date.now() - begun < 10_000, "a cancelled turn went on");
    assert.equal(await prompt("Good day."), "end_turn", "no turn after a cancelled one");

    await engross.request(agent.session.close, { sessionId });
    await engross.request(agent.session.delete, { sessionId });
    assert.deepEqual((await engross.request(agent.session.list, {})).sessions, []);
  });

child.stdin.end();
assert.equal(await ended, 0);

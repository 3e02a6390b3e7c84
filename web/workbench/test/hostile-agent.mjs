// An agent that wants to run something in the reader's page: its words, its calls, its question and the names of its files are markup.
// Speaks the Agent Client Protocol on its pipes; takes the texts from the file that it is given.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const texts = JSON.parse(readFileSync(process.argv[2], "utf8"));
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const waiting = new Map();
let cwd = ".";
let asked = 0;

const update = (sessionId, value) => say({ method: "session/update", params: { sessionId, update: value } });

async function prompted(id, sessionId) {
  for (const text of texts) update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${text}\n\n` } });
  for (const [at, text] of texts.entries()) update(sessionId, { sessionUpdate: "tool_call", toolCallId: `c${at}`, title: text, kind: "edit", status: "completed", locations: [{ path: text }], content: [] });
  const question = `q${(asked += 1)}`;
  const toolCall = { toolCallId: question, title: texts[0], kind: "execute", status: "pending" };
  const options = [{ optionId: "yes", name: texts[1], kind: "allow_once" }, { optionId: "no", name: texts[2], kind: "reject_once" }];
  const answered = new Promise((resolve) => waiting.set(question, resolve));
  say({ id: question, method: "session/request_permission", params: { sessionId, toolCall, options } });
  await answered;
  for (const [at, text] of texts.entries()) writeFileSync(join(cwd, `${text.replaceAll("/", "_").slice(0, 120)} ${at}.txt`), text);
  say({ id, result: { stopReason: "end_turn" } });
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") say({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: false, promptCapabilities: {} }, authMethods: [] } });
  else if (method === "session/new") {
    cwd = params.cwd;
    say({ id, result: { sessionId: "s" } });
  } else if (method === "session/prompt") void prompted(id, params.sessionId);
  else if (method === undefined) waiting.get(id)?.();
  else if (id !== undefined) say({ id, error: { code: -32601, message: "not known" } });
});

// OpenAI's Codex, the program itself: `codex exec` with this server as its provider.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BASE_URL, HELLO, received, run, same } from "./checks.mjs";

const home = mkdtempSync(join(tmpdir(), "codex-"));
const work = mkdtempSync(join(tmpdir(), "work-"));
writeFileSync(join(home, "config.toml"), `model = "engross"
model_provider = "engross"
[model_providers.engross]
name = "engross"
base_url = "${BASE_URL}"
wire_api = "responses"
env_key = "ENGROSS_KEY"
request_max_retries = 0
stream_max_retries = 0
`);
const program = fileURLToPath(new URL("../node_modules/@openai/codex/bin/codex.js", import.meta.url));

/** What Codex said last. */
function codex(...words) {
  const said = join(work, "said.txt");
  const options = ["--skip-git-repo-check", "--output-last-message", said, "--dangerously-bypass-approvals-and-sandbox"];
  const environment = { ...process.env, CODEX_HOME: home, ENGROSS_KEY: "unused" };
  const done = spawnSync(process.execPath, [program, "exec", ...options, ...words], {
    cwd: work, env: environment, input: "", encoding: "utf8", timeout: 120_000,
  });
  if (done.status !== 0) throw new Error(`codex ended with ${done.status}: ${done.stderr.slice(-600)}`);
  return readFileSync(said, "utf8").trim();
}

const users = async () => (await received()).messages.filter(({ role }) => role === "user").map(({ content }) => JSON.stringify(content));

async function answers() {
  same(codex("Say hello."), HELLO);
}

async function runsACommandAndGivesReasoningBack() {
  same(codex("Run the command."), "It said from-the-shell.");
  const { messages } = await received();
  same(messages.some(({ role, content }) => role === "tool" && JSON.stringify(content).includes("from-the-shell")), true);
  same(messages.map(({ reasoning_content }) => reasoning_content).filter(Boolean), ["A shell will do."]);
}

async function goesOnWithAConversation() {
  codex("My name is Ada.");
  same(codex("resume", "--last", "What is my name?"), "Your name is Ada.");
  same((await users()).filter((text) => text.includes("My name is Ada.")).length, 1);
}

await run("@openai/codex", answers, runsACommandAndGivesReasoningBack, goesOnWithAConversation);

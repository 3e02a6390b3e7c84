// What the clients for Node share: running checks, and what the model behind the server was asked.
//
// Must never touch a client library: what is proven here is proven of libraries as they are published.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";

export const BASE_URL = process.env.ENGROSS_BASE_URL;
const MODEL_URL = process.env.SCRIPTED_MODEL_URL;
export const HELLO = "Hello from the script.";
export const ROUNDS = ["user", "assistant+get_weather", "tool", "assistant+get_weather", "tool"];
export const COMPARED = "Leeds is warmer: 12 against 9.";
export const WEATHER = { Leeds: "Leeds: 12", York: "York: 9" };
export const CITY = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
export const TOOL = {
  type: "function",
  function: { name: "get_weather", description: "The temperature in a city.", parameters: CITY },
};

export const same = assert.deepEqual;

export const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
export const IN_PICTURE = "What is in the picture?";
export const DOT = "A red dot.";
export const FIRST = "Who wrote the first program?";
export const ADA = { name: "Ada", born: 1815 };
export const PERSON = {
  type: "object", properties: { name: { type: "string" }, born: { type: "number" } }, required: ["name", "born"], additionalProperties: false,
};
export const THINK = "Think about the weather.";
export const THOUGHTS = ["I need Leeds."];

/** The body that the model was asked with last. */
export const received = async () => (await (await fetch(`${MODEL_URL}/__log`)).json()).at(-1);

/** The model was given the picture itself, beside the question. */
export async function pictureReached() {
  const parts = (await received()).messages.at(-1).content;
  same(parts.filter(({ type }) => type === "image_url").map(({ image_url }) => image_url.url), [PICTURE]);
  same(parts.some(({ text }) => text?.includes(IN_PICTURE)), true);
}

/** The model was given the schema of the answer. */
export async function schemaReached() {
  const form = (await received()).response_format;
  same([form.type, Object.keys(form.json_schema.schema.properties).sort()], ["json_schema", ["born", "name"]]);
}

/** What the model thought before its calls was given back to it with their results. */
export async function thoughtsReached() {
  same((await received()).messages.map((message) => message.reasoning_content).filter(Boolean), THOUGHTS);
}

/** What was said in the conversation that the model was asked with last, without instructions. */
export const words = async () =>
  (await received()).messages.filter(({ role }) => role !== "system").map(({ content }) => content);

/** The header of a session of its own. */
export const session = () => ({ "x-engross-session-key": randomUUID() });

/** The roles of the messages that the model was asked with last, calls by their names. */
export async function asked() {
  const log = await (await fetch(`${MODEL_URL}/__log`)).json();
  const said = log.at(-1).messages.filter((message) => message.role !== "system");
  return said.map(({ role, tool_calls = [] }) => [role, ...tool_calls.map((call) => call.function.name)].join("+"));
}

/** The error that `action` fails with. A short success is the worst that could come. */
export async function fails(action) {
  let got;
  try {
    got = await action();
  } catch (error) {
    return error;
  }
  throw new Error(`no error, but ${JSON.stringify(got)}`);
}

/** Runs checks, and reports each as a line of JSON. A check is a function; its name, in words, names it. */
export async function run(name, ...checks) {
  const about = JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), "utf8"));
  console.log(JSON.stringify({ package: name, version: about.version }));
  for (const check of checks) {
    const line = { check: check.name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`), ok: true };
    try {
      await check();
    } catch (error) {
      console.error(error);
      Object.assign(line, { ok: false, why: String(error).split("\n").slice(0, 6).join(" ") });
    }
    console.log(JSON.stringify(line));
  }
}

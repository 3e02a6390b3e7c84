// The `openai` library of Node.
import OpenAI from "openai";
import {
  ADA, BASE_URL, COMPARED, DOT, FIRST, HELLO, IN_PICTURE, PERSON, PICTURE, ROUNDS, THINK, THOUGHTS, TOOL, WEATHER, asked, fails, pictureReached, run,
  same, schemaReached, session, thoughtsReached, words,
} from "./checks.mjs";

const client = new OpenAI({ baseURL: BASE_URL, apiKey: "unused", maxRetries: 0 });
const chat = client.chat.completions;
const user = (content) => [{ role: "user", content }];
const ask = (content, headers) => chat.create({ model: "engross", messages: user(content) }, { headers });
const tools = [TOOL];

const results = (message) =>
  (message.tool_calls ?? []).map((call) => ({
    role: "tool",
    tool_call_id: call.id,
    content: WEATHER[JSON.parse(call.function.arguments).city],
  }));

async function models() {
  same((await client.models.list()).data.map((model) => model.id), ["engross", "openclaw"]);
}

async function wholeAnswer() {
  const [choice] = (await ask("Say hello.")).choices;
  same([choice.message.content, choice.finish_reason], [HELLO, "stop"]);
}

async function streamedAnswer() {
  const stream = chat.stream({ model: "engross", messages: user("Say hello.") });
  const deltas = [];
  stream.on("content", (delta) => deltas.push(delta));
  const final = await stream.finalChatCompletion();
  same([deltas.join(""), deltas.length > 1, final.choices[0].finish_reason], [HELLO, true, "stop"]);
}

async function sessionRemembers() {
  const headers = session();
  await ask("My name is Ada.", headers);
  same((await ask("What is my name?", headers)).choices[0].message.content, "Your name is Ada.");
}

async function toolsByResultsOnly() {
  const headers = session();
  let messages = user("Compare the weather.");
  let message;
  for (let round = 0; round < 3; round++) {
    message = (await chat.create({ model: "engross", messages, tools }, { headers })).choices[0].message;
    messages = results(message);
  }
  same([message.content, await asked()], [COMPARED, ROUNDS]);
}

async function toolsStreamedByResultsOnly() {
  const headers = session();
  let messages = user("Compare the weather.");
  let message;
  for (let round = 0; round < 3; round++) {
    message = await chat.stream({ model: "engross", messages, tools }, { headers }).finalMessage();
    messages = results(message);
  }
  same([message.content, await asked()], [COMPARED, ROUNDS]);
}

const runnable = [{ type: "function", function: { ...TOOL.function, parse: JSON.parse, function: ({ city }) => WEATHER[city] } }];

async function toolsByTheLibrarysOwnLoop() {
  const runner = chat.runTools({ model: "engross", messages: user("Compare the weather."), tools: runnable }, { headers: session() });
  same([await runner.finalContent(), await asked()], [COMPARED, ROUNDS]);
}

async function toolsByTheLibrarysOwnLoopStreamedWithoutASession() {
  const runner = chat.runTools({ model: "engross", stream: true, messages: user("Compare the weather."), tools: runnable });
  same([await runner.finalContent(), await asked()], [COMPARED, ROUNDS]);
}

async function rateLimitReachesTheClient() {
  const error = await fails(() => ask("Be limited for long."));
  same([error instanceof OpenAI.RateLimitError, error.code, error.headers.get("retry-after")], [true, "MODEL_RATE_LIMITED", "90"]);
}

async function shortRateLimitIsWaitedOut() {
  same((await ask("Be limited twice.")).choices[0].message.content, "Limited no more.");
}

async function refusalOfTheModel() {
  const error = await fails(() => ask("Be refused."));
  same([error instanceof OpenAI.BadRequestError, error.code], [true, "MODEL_BAD_REQUEST"]);
}

async function refusalOfTheServer() {
  const error = await fails(() => chat.create({ model: "engross", messages: [] }));
  same([error instanceof OpenAI.BadRequestError, error.code], [true, "MESSAGE_MISSING"]);
}

async function cutStreamIsAnError() {
  const error = await fails(() => chat.stream({ model: "engross", messages: user("Break off.") }).finalContent());
  same([error instanceof OpenAI.APIError, error.code], [true, "MODEL_TRUNCATED"]);
}

async function cutAnswerIsAnError() {
  const error = await fails(() => ask("Break off."));
  same([error.status, error.code], [502, "MODEL_TRUNCATED"]);
}

async function responsesStreamed() {
  const stream = client.responses.stream({ model: "engross", input: "Say hello." });
  const answer = await stream.finalResponse();
  same([answer.output_text, answer.status], [HELLO, "completed"]);
}

async function responsesWithToolsByResultsOnly() {
  const flat = { type: "function", strict: false, ...TOOL.function };
  let input = "Compare the weather.";
  let answer;
  for (let round = 0; round < 3; round++) {
    answer = await client.responses.create({ model: "engross", input, tools: [flat], previous_response_id: answer?.id });
    input = answer.output
      .filter((item) => item.type === "function_call")
      .map((item) => ({ type: "function_call_output", call_id: item.call_id, output: WEATHER[JSON.parse(item.arguments).city] }));
  }
  same([answer.output_text, await asked()], [COMPARED, ROUNDS]);
}

async function pictureReachesTheModel() {
  const content = [{ type: "text", text: IN_PICTURE }, { type: "image_url", image_url: { url: PICTURE } }];
  same((await ask(content)).choices[0].message.content, DOT);
  await pictureReached();
}

async function schemaReachesTheModel() {
  const response_format = { type: "json_schema", json_schema: { name: "person", strict: true, schema: PERSON } };
  const answer = await chat.parse({ model: "engross", messages: user(FIRST), response_format });
  same(answer.choices[0].message.parsed, ADA);
  await schemaReached();
}

async function reasoningComesBackWithoutASession() {
  const messages = user(THINK);
  const { message } = (await chat.create({ model: "engross", messages, tools })).choices[0];
  same(message.reasoning_content, THOUGHTS[0]);
  const again = await chat.create({ model: "engross", messages: [...messages, message, ...results(message)], tools });
  same(again.choices[0].message.content, "12 in Leeds.");
  await thoughtsReached();
}

async function branchesSeeOnlyTheirOwnPast() {
  const root = await client.responses.create({ model: "engross", input: "Say hello." });
  for (const [way, said] of [["Go left.", "Left it is."], ["Go right.", "Right it is."]]) {
    const answer = await client.responses.create({ model: "engross", input: way, previous_response_id: root.id });
    same([answer.output_text, await words()], [said, ["Say hello.", HELLO, way]]);
  }
}

await run(
  "openai", models, pictureReachesTheModel, schemaReachesTheModel, reasoningComesBackWithoutASession,
  branchesSeeOnlyTheirOwnPast, wholeAnswer, streamedAnswer, sessionRemembers, toolsByResultsOnly, toolsStreamedByResultsOnly,
  toolsByTheLibrarysOwnLoop, toolsByTheLibrarysOwnLoopStreamedWithoutASession, rateLimitReachesTheClient,
  shortRateLimitIsWaitedOut, refusalOfTheModel, refusalOfTheServer, cutStreamIsAnError, cutAnswerIsAnError, responsesStreamed,
  responsesWithToolsByResultsOnly,
);

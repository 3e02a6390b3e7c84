// Vercel's AI SDK with its provider for servers that are compatible with OpenAI's.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, Output, generateText, isStepCount, jsonSchema, streamText, tool } from "ai";
import {
  ADA, BASE_URL, CITY, COMPARED, DOT, FIRST, HELLO, IN_PICTURE, PERSON, PICTURE, ROUNDS, THINK, THOUGHTS, WEATHER, asked, fails, pictureReached, run,
  same, schemaReached, session, thoughtsReached,
} from "./checks.mjs";

const engross = (headers) => createOpenAICompatible({ name: "engross", baseURL: BASE_URL, headers })("engross");
const user = (content) => [{ role: "user", content }];
const quiet = { maxRetries: 0, onError() {} };
const get_weather = { description: "The temperature in a city.", inputSchema: jsonSchema(CITY) };
const ofTheClient = { get_weather: tool(get_weather) };
const byTheLibrary = { get_weather: tool({ ...get_weather, execute: ({ city }) => WEATHER[city] }) };

const results = (calls) => ({
  role: "tool",
  content: calls.map(({ toolCallId, toolName, input }) => ({
    type: "tool-result", toolCallId, toolName, output: { type: "text", value: WEATHER[input.city] },
  })),
});

async function wholeAnswer() {
  const answer = await generateText({ model: engross(), prompt: "Say hello.", maxRetries: 0 });
  same([answer.text, answer.finishReason], [HELLO, "stop"]);
}

async function streamedAnswer() {
  const answer = streamText({ model: engross(), prompt: "Say hello.", ...quiet });
  const deltas = [];
  for await (const delta of answer.textStream) deltas.push(delta);
  same([deltas.join(""), deltas.length > 1, await answer.finishReason], [HELLO, true, "stop"]);
}

async function sessionRemembers() {
  const model = engross(session());
  await generateText({ model, prompt: "My name is Ada." });
  same((await generateText({ model, prompt: "What is my name?" })).text, "Your name is Ada.");
}

async function toolsOfTheClientByResultsOnly() {
  const model = engross(session());
  let messages = user("Compare the weather.");
  let text;
  const finishes = [];
  for (let round = 0; round < 3; round++) {
    const answer = streamText({ model, messages, tools: ofTheClient, ...quiet });
    text = await answer.text;
    finishes.push(await answer.finishReason);
    messages = [results(await answer.toolCalls)];
  }
  same([text, finishes, await asked()], [COMPARED, ["tool-calls", "tool-calls", "stop"], ROUNDS]);
}

async function toolsOfTheClientByWholeHistory() {
  const model = engross(session());
  const messages = user("Compare the weather.");
  let answer;
  for (let round = 0; round < 3; round++) {
    answer = await generateText({ model, messages, tools: ofTheClient, maxRetries: 0 });
    messages.push(...answer.response.messages, ...(answer.toolCalls.length ? [results(answer.toolCalls)] : []));
  }
  same([answer.text, await asked()], [COMPARED, ROUNDS]);
}

async function toolsByTheLibrarysOwnLoop(headers = session()) {
  const prompt = "Compare the weather.";
  const answer = streamText({ model: engross(headers), prompt, tools: byTheLibrary, stopWhen: isStepCount(5), ...quiet });
  same([await answer.text, await asked()], [COMPARED, ROUNDS]);
}

async function toolsByTheLibrarysOwnLoopWithoutASession() {
  await toolsByTheLibrarysOwnLoop({});
}

async function rateLimitReachesTheClient() {
  const error = await fails(() => generateText({ model: engross(), prompt: "Be limited for long.", maxRetries: 0 }));
  same([APICallError.isInstance(error), error.statusCode, error.responseHeaders["retry-after"]], [true, 429, "90"]);
  same([error.isRetryable, error.message.includes("90")], [true, true]);
}

async function refusalOfTheModel() {
  const error = await fails(() => generateText({ model: engross(), prompt: "Be refused.", maxRetries: 0 }));
  same([error.statusCode, error.isRetryable, JSON.parse(error.responseBody).error.code], [400, false, "MODEL_BAD_REQUEST"]);
}

async function cutStreamIsAnError() {
  const parts = [];
  for await (const part of streamText({ model: engross(), prompt: "Break off.", ...quiet }).fullStream) parts.push(part);
  const errors = parts.filter((part) => part.type === "error").map((part) => JSON.stringify(part.error?.data ?? part.error));
  same(parts.filter((part) => part.type === "finish" && part.finishReason === "stop"), []);
  same([errors.length, /cut off|MODEL_TRUNCATED/.test(`${errors}`)], [1, true]);
}

async function cutAnswerIsAnError() {
  const error = await fails(() => generateText({ model: engross(), prompt: "Break off.", maxRetries: 0 }));
  same([error.statusCode, JSON.parse(error.responseBody).error.code], [502, "MODEL_TRUNCATED"]);
}

async function pictureReachesTheModel() {
  const content = [{ type: "text", text: IN_PICTURE }, { type: "image", image: PICTURE }];
  same((await generateText({ model: engross(), messages: [{ role: "user", content }], maxRetries: 0 })).text, DOT);
  await pictureReached();
}

async function schemaReachesTheModel() {
  const provider = createOpenAICompatible({ name: "engross", baseURL: BASE_URL, supportsStructuredOutputs: true });
  const output = Output.object({ schema: jsonSchema(PERSON) });
  same((await generateText({ model: provider("engross"), prompt: FIRST, output, maxRetries: 0 })).output, ADA);
  await schemaReached();
}

async function reasoningIsShownAndComesBack() {
  const answer = streamText({ model: engross(), prompt: THINK, tools: byTheLibrary, stopWhen: isStepCount(5), ...quiet });
  const steps = await answer.steps;
  same([await answer.text, steps.map((step) => step.reasoningText)], ["12 in Leeds.", [...THOUGHTS, "That is all."]]);
  await thoughtsReached();
}

await run(
  "ai", pictureReachesTheModel, schemaReachesTheModel, reasoningIsShownAndComesBack, wholeAnswer, streamedAnswer, sessionRemembers, toolsOfTheClientByResultsOnly, toolsOfTheClientByWholeHistory,
  toolsByTheLibrarysOwnLoop, toolsByTheLibrarysOwnLoopWithoutASession, rateLimitReachesTheClient, refusalOfTheModel,
  cutStreamIsAnError, cutAnswerIsAnError,
);

// LangChain's chat model for OpenAI's API.
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import {
  ADA, BASE_URL, COMPARED, DOT, FIRST, HELLO, IN_PICTURE, PICTURE, ROUNDS, WEATHER, asked, fails, pictureReached, run, same, schemaReached, session,
  words,
} from "./checks.mjs";

const engross = (defaultHeaders) =>
  new ChatOpenAI({ model: "engross", apiKey: "unused", maxRetries: 0, configuration: { baseURL: BASE_URL, defaultHeaders } });
const get_weather = tool(({ city }) => WEATHER[city], {
  name: "get_weather", description: "The temperature in a city.", schema: z.object({ city: z.string() }),
});

const results = (message) =>
  message.tool_calls.map(({ id, name, args }) => new ToolMessage({ tool_call_id: id, name, content: WEATHER[args.city] }));

async function streamed(model, messages) {
  let whole;
  for await (const chunk of await model.stream(messages)) whole = whole?.concat(chunk) ?? chunk;
  return whole;
}

async function wholeAnswer() {
  const answer = await engross().invoke("Say hello.");
  same([answer.text, answer.response_metadata.finish_reason], [HELLO, "stop"]);
}

async function streamedAnswer() {
  const answer = await streamed(engross(), "Say hello.");
  same([answer.text, answer.response_metadata.finish_reason], [HELLO, "stop"]);
}

async function sessionRemembers() {
  const model = engross(session());
  await model.invoke("My name is Ada.");
  same((await model.invoke("What is my name?")).text, "Your name is Ada.");
}

async function toolsByResultsOnly(ask = (model, messages) => model.invoke(messages)) {
  const model = engross(session()).bindTools([get_weather]);
  let messages = [new HumanMessage("Compare the weather.")];
  let answer;
  for (let round = 0; round < 3; round++) {
    answer = await ask(model, messages);
    messages = results(answer);
  }
  same([answer.text, await asked()], [COMPARED, ROUNDS]);
}

async function toolsStreamedByResultsOnly() {
  await toolsByResultsOnly(streamed);
}

async function toolsByWholeHistory(headers = session()) {
  const model = engross(headers).bindTools([get_weather]);
  const messages = [new HumanMessage("Compare the weather.")];
  let answer;
  for (let round = 0; round < 3; round++) {
    answer = await model.invoke(messages);
    messages.push(answer, ...results(answer));
  }
  same([answer.text, await asked()], [COMPARED, ROUNDS]);
}

async function toolsByWholeHistoryWithoutASession() {
  await toolsByWholeHistory({});
}

async function rateLimitReachesTheClient() {
  const error = await fails(() => engross().invoke("Be limited for long."));
  same([error.status, error.code, error.headers.get("retry-after")], [429, "MODEL_RATE_LIMITED", "90"]);
}

async function refusalOfTheModel() {
  const error = await fails(() => engross().invoke("Be refused."));
  same([error.status, error.code], [400, "MODEL_BAD_REQUEST"]);
}

async function cutStreamIsAnError() {
  same((await fails(() => streamed(engross(), "Break off."))).code, "MODEL_TRUNCATED");
}

async function cutAnswerIsAnError() {
  const error = await fails(() => engross().invoke("Break off."));
  same([error.status, error.code], [502, "MODEL_TRUNCATED"]);
}

async function pictureReachesTheModel() {
  const content = [{ type: "text", text: IN_PICTURE }, { type: "image_url", image_url: { url: PICTURE } }];
  same((await engross().invoke([new HumanMessage({ content })])).text, DOT);
  await pictureReached();
}

async function schemaReachesTheModel() {
  const person = z.object({ name: z.string(), born: z.number() });
  same(await engross().withStructuredOutput(person, { name: "person", method: "jsonSchema" }).invoke(FIRST), ADA);
  await schemaReached();
}

async function branchesSeeOnlyTheirOwnPast() {
  const responses = new ChatOpenAI({ model: "engross", apiKey: "unused", useResponsesApi: true, configuration: { baseURL: BASE_URL } });
  const { id } = (await responses.invoke("Say hello.")).response_metadata;
  for (const [way, said] of [["Go left.", "Left it is."], ["Go right.", "Right it is."]]) {
    same([(await responses.invoke(way, { previous_response_id: id })).text, await words()], [said, ["Say hello.", HELLO, way]]);
  }
}

await run(
  "@langchain/openai", pictureReachesTheModel, schemaReachesTheModel, branchesSeeOnlyTheirOwnPast, wholeAnswer, streamedAnswer, sessionRemembers, toolsByResultsOnly,
  toolsStreamedByResultsOnly, toolsByWholeHistory, toolsByWholeHistoryWithoutASession, rateLimitReachesTheClient, refusalOfTheModel, cutStreamIsAnError,
  cutAnswerIsAnError,
);

// OpenAI's SDK for agents, for Node: over chat completions and over responses.
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import {
  ADA, BASE_URL, COMPARED, DOT, FIRST, HELLO, IN_PICTURE, PICTURE, ROUNDS, THINK, WEATHER, asked, pictureReached, run, same, schemaReached,
  thoughtsReached, words,
} from "./checks.mjs";

setTracingDisabled(true);
const client = new OpenAI({ baseURL: BASE_URL, apiKey: "unused", maxRetries: 0 });
const kinds = [OpenAIChatCompletionsModel, OpenAIResponsesModel];
const runner = new Runner();
const getWeather = tool({
  name: "get_weather", description: "The temperature in a city.", parameters: z.object({ city: z.string() }), execute: ({ city }) => WEATHER[city],
});
const agent = (Kind, more = {}) => new Agent({ name: "tester", model: new Kind(client, "engross"), ...more });

async function wholeAndStreamedAnswers() {
  for (const Kind of kinds) {
    same((await runner.run(agent(Kind), "Say hello.")).finalOutput, HELLO);
    const streamed = await runner.run(agent(Kind), "Say hello.", { stream: true });
    await streamed.completed;
    same(streamed.finalOutput, HELLO);
  }
}

async function tools() {
  for (const Kind of kinds) {
    same([(await runner.run(agent(Kind, { tools: [getWeather] }), "Compare the weather.")).finalOutput, await asked()], [COMPARED, ROUNDS]);
  }
}

async function schemaReachesTheModel() {
  const outputType = z.object({ name: z.string(), born: z.number() });
  for (const Kind of kinds) {
    same((await runner.run(agent(Kind, { outputType }), FIRST)).finalOutput, ADA);
    await schemaReached();
  }
}

async function pictureReachesTheModel() {
  const content = [{ type: "input_text", text: IN_PICTURE }, { type: "input_image", image: PICTURE }];
  for (const Kind of kinds) {
    same((await runner.run(agent(Kind), [{ role: "user", content }])).finalOutput, DOT);
    await pictureReached();
  }
}

async function encryptedReasoningComesBack() {
  const modelSettings = { store: false, providerData: { include: ["reasoning.encrypted_content"] } };
  const answer = await runner.run(agent(OpenAIResponsesModel, { tools: [getWeather], modelSettings }), THINK);
  same(answer.finalOutput, "12 in Leeds.");
  await thoughtsReached();
}

async function branchesSeeOnlyTheirOwnPast() {
  const root = (await runner.run(agent(OpenAIResponsesModel), "Say hello.")).lastResponseId;
  for (const [way, said] of [["Go left.", "Left it is."], ["Go right.", "Right it is."]]) {
    const answer = await runner.run(agent(OpenAIResponsesModel), way, { previousResponseId: root });
    same([answer.finalOutput, await words()], [said, ["Say hello.", HELLO, way]]);
  }
}

await run(
  "@openai/agents", wholeAndStreamedAnswers, tools, schemaReachesTheModel, pictureReachesTheModel, encryptedReasoningComesBack,
  branchesSeeOnlyTheirOwnPast,
);

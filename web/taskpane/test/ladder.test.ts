// Conversations with a double of Word: after each the document is sound, and both sides are what was promised.
import { beforeAll, describe, expect, it } from "vitest";

import { WordFile } from "../../engine/src/index.ts";
import { engine, texts } from "../../fakeword/test/double.ts";
import { CONVERSATIONS, type Conversation } from "./conversations.ts";
import { judge, run, signature, source } from "./runs.ts";

beforeAll(engine);

/** What the same operations make of the file without Word. */
function expected(conversation: Conversation): string[] {
  using file = WordFile.open(source(conversation));
  for (const operations of conversation.rounds) file.apply(operations as never, signature);
  return file.read({ view: "accepted", labels: false }).paragraphs.map(({ text }) => text);
}

describe("the ladder", () => {
  it.each(CONVERSATIONS.map((conversation) => [conversation.name, conversation] as const))("on a Word without faults: %s", async (_, conversation) => {
    const told = await run(conversation, { isPlain: true });
    judge(conversation, told);
    const steps = told.outcomes.flatMap((outcome) => outcome.steps);
    if (!conversation.typed && steps.every(({ status }) => status === "done")) expect(texts(told.fake.bytes())).toEqual(expected(conversation));
  });
});

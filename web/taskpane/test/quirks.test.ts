// The same conversations with hosts that misbehave, each in one way, and on each platform with all that it does.
import { beforeAll, describe, it } from "vitest";

import { engine } from "../../fakeword/test/double.ts";
import { QUIRKS, type Platform, type Quirk } from "../../fakeword/src/index.ts";
import { CONVERSATIONS } from "./conversations.ts";
import { judge, run } from "./runs.ts";

beforeAll(engine);

/** Those in which somebody types meanwhile have a file of their own. */
const QUIET = CONVERSATIONS.filter(({ meanwhile, document }) => !meanwhile && document !== "nda");

const PLATFORMS: readonly Platform[] = ["web", "windows", "mac", "ipad", "ltsc"];

describe.each(Object.keys(QUIRKS) as Quirk[])("with %s", (quirk) => {
  it.each(QUIET.map((conversation) => [conversation.name, conversation] as const))("%s", async (_, conversation) => {
    judge(conversation, await run(conversation, { isPlain: true, quirks: [quirk] }));
  });
});

describe.each(PLATFORMS)("on %s", (platform) => {
  it.each(QUIET.map((conversation) => [conversation.name, conversation] as const))("%s", async (_, conversation) => {
    judge(conversation, await run(conversation, { platform }, { mayLoseUndo: platform !== "web" }));
  });
});

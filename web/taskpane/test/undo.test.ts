// A change set is taken back, and what the person has typed since stays.
import { beforeAll, describe, expect, it } from "vitest";

import { WordFile } from "../../engine/src/index.ts";
import { engine, errors, texts } from "../../fakeword/test/double.ts";
import type { FakeWord } from "../../fakeword/src/index.ts";
import type { Outcome } from "../src/ladder/report.ts";
import { preview, undo } from "../src/ladder/undo.ts";
import { CONVERSATIONS } from "./conversations.ts";
import { run } from "./runs.ts";

beforeAll(engine);

describe("one change set", () => {
  /** What the person types after the request was carried out. */
  const since = (fake: FakeWord) => {
    fake.person.type(1, " and Conditions");
    const order = fake.texts().findIndex((text) => text.includes("of the order") || text.includes("written order"));
    if (order >= 0) fake.person.type(order + 1, " Time is of the essence.");
    fake.person.add(1, "Typed since.");
  };

  const UNDONE = CONVERSATIONS.filter(({ meanwhile, rounds }) => !meanwhile && rounds.length === 1);

  it.each(
    (["windows", "web", "mac", "ltsc"] as const).flatMap((platform) => UNDONE.map((conversation) => [platform, conversation.name, conversation] as const)),
  )("is taken back, and what was typed since stays: %s, %s", async (platform, _, conversation) => {
    const told = await run({ ...conversation, mode: "TrackAll" }, { platform }, { mayLoseUndo: platform !== "web" });
    const { fake, twin, document, here, outcomes } = told;
    since(fake);
    since(twin);
    const [outcome] = outcomes as [Outcome];
    const seen = fake.bytes();
    const before = await preview(document, here, outcome.changeSet);
    expect(texts(fake.bytes(), "markup"), "a preview changes nothing").toEqual(texts(seen, "markup"));
    const after = await undo(document, here, outcome.changeSet);
    const what = JSON.stringify([outcome.steps, before, after], null, 1);
    expect(after.slice(0, before.length).map(({ status }) => status), what).toEqual(before.map(({ status }) => status));
    expect(errors(fake.bytes()), what).toEqual(errors(told.bytes));
    expect(texts(fake.bytes(), "original"), what).toEqual(texts(twin.bytes(), "original"));
    const kept = after.filter(({ status }) => status === "kept" || status === "left");
    for (const { note } of kept) expect(note ?? "", what).not.toBe("");
    for (const typed of [" and Conditions", "Typed since."]) expect(texts(fake.bytes()).join("\n"), what).toContain(typed);
    if (kept.length === 0) {
      expect(texts(fake.bytes()), what).toEqual(texts(twin.bytes()));
      using file = WordFile.open(fake.bytes());
      using source = WordFile.open(told.bytes);
      expect(file.comments().map(({ text }) => text), what).toEqual(source.comments().map(({ text }) => text));
    }
    expect(here.open()).toBe(0);
  });
});

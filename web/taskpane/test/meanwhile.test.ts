// People type while a change is carried out: at each exchange with Word in turn, and nothing of theirs is ever lost.
import { beforeAll, describe, expect, it } from "vitest";

import { engine } from "../../fakeword/test/double.ts";
import { CONVERSATIONS } from "./conversations.ts";
import { judge, run } from "./runs.ts";

beforeAll(engine);

/** Those in which somebody does something meanwhile. */
const DISTURBED = CONVERSATIONS.filter(({ meanwhile }) => meanwhile);

describe("while others type", () => {
  // On Windows always; on the others, whose moments are nearly the same, where there is time.
  const platforms = process.env["ENGROSS_TEST_AT_LENGTH"] ? (["windows", "mac", "ltsc"] as const) : (["windows"] as const);
  const cases = platforms.flatMap((platform) => DISTURBED.map((conversation) => [platform, conversation.name, conversation] as const));
  it.each(cases)("at every moment: %s, %s", { timeout: 300_000 }, async (platform, _, conversation) => {
    const ways = new Map<string, number>();
    const whole = await run(conversation, { platform }, { exchange: 1_000 });
    const exchanges = whole.fake.host.exchanges.length;
    for (let exchange = 1; exchange <= exchanges; exchange += 1) {
      const told = await run(conversation, { platform }, { exchange });
      judge(conversation, told, `${platform}, exchange ${exchange}`);
      for (const { status } of told.outcomes.flatMap(({ steps }) => steps)) ways.set(status, (ways.get(status) ?? 0) + 1);
    }
    // To refuse always would be safe and of no use.
    expect(ways.get("done") ?? 0).toBeGreaterThan(0);
  });
});

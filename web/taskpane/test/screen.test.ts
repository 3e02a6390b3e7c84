// The pane on screen with hosts that misbehave: each fault, each platform and each conversation at least once. `screen.long.ts` has all with all.
import { afterAll, beforeAll, describe, it } from "vitest";
import type { Browser } from "playwright-core";

import { engine } from "../../fakeword/test/double.ts";
import { binary, serveModel, type Server } from "../../shared/test/server.ts";
import { browserPath, launch } from "../../workbench/test/browser.ts";
import { CONVERSATIONS } from "./conversations.ts";
import { hasEngine } from "./pane-browser.ts";
import { converse, HOSTS, scriptOfAll } from "./screen-runs.ts";

describe.skipIf(!binary || !browserPath || !hasEngine)("on screen", { timeout: 180_000 }, () => {
  let server: Server;
  let browser: Browser;

  beforeAll(async () => {
    await engine();
    [server, browser] = await Promise.all([serveModel(scriptOfAll(), {}), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const some = CONVERSATIONS.map((conversation, at) => ({ conversation, at, host: HOSTS[at % HOSTS.length] as (typeof HOSTS)[number] }));

  it.each(some.map((one) => [one.host.name, one.conversation.name, one] as const))("%s: %s", async (_, _name, { conversation, at, host }) => {
    await converse(browser, server.baseUrl, at, host, conversation.meanwhile ? { exchange: 6 } : undefined);
  });
});

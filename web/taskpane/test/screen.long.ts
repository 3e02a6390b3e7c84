// The pane on screen: every conversation with every fault of a host and on every platform, and those in which somebody types, at several
// moments. Prints how many ran, and which rungs the pane has named.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "playwright-core";

import { engine } from "../../fakeword/test/double.ts";
import { binary, serveModel, type Server } from "../../shared/test/server.ts";
import { browserPath, launch } from "../../workbench/test/browser.ts";
import { CONVERSATIONS } from "./conversations.ts";
import { hasEngine } from "./pane-browser.ts";
import { converse, HOSTS, scriptOfAll, type Told } from "./screen-runs.ts";

const MOMENTS = [3, 6, 9, 12].map((exchange) => ({ exchange }));

describe.skipIf(!binary || !browserPath || !hasEngine)("every conversation on every host, on screen", { timeout: 300_000 }, () => {
  let server: Server;
  let browser: Browser;
  const sum = { conversations: 0, requests: 0, typed: 0, markup: 0, copy: 0, open: 0 };

  beforeAll(async () => {
    await engine();
    [server, browser] = await Promise.all([serveModel(scriptOfAll(), {}), launch()]);
  });
  afterAll(async () => {
    console.log(JSON.stringify({ hosts: HOSTS.length, ...sum }));
    await browser?.close();
    await server?.stop();
  });

  const all = HOSTS.flatMap((host) =>
    CONVERSATIONS.flatMap((conversation, at) => (conversation.meanwhile ? MOMENTS : [undefined]).map((moment) => ({ name: `${host.name}: ${conversation.name}${moment ? `, ${moment.exchange}` : ""}`, at, host, moment }))),
  );

  it("is at least eight faults by twenty conversations", () => {
    expect(HOSTS.length).toBeGreaterThanOrEqual(8);
    expect(CONVERSATIONS.length).toBeGreaterThanOrEqual(20);
  });

  it.concurrent.each(all.map((one) => [one.name, one] as const))("%s", async (_, { at, host, moment }) => {
    const { rungs }: Told = await converse(browser, server.baseUrl, at, host, moment);
    sum.conversations += 1;
    sum.requests += CONVERSATIONS[at]?.rounds.length ?? 0;
    for (const rung of ["typed", "markup", "copy", "open"] as const) sum[rung] += rungs[rung];
  });
});

import { describe, expect, test } from "vitest";
import { EventStreamParser } from "../src/event-stream.ts";
import type { ServerEvent } from "../src/event-stream.ts";

function parse(...pieces: Uint8Array[]): ServerEvent[] {
  const parser = new EventStreamParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

const bytes = (text: string) => new TextEncoder().encode(text);
const message = (data: string, id?: string): ServerEvent => ({ event: "message", data, id });

describe("a stream", () => {
  const table: [name: string, text: string, events: ServerEvent[]][] = [
    ["has events", "data: a\n\ndata: b\n\n", [message("a"), message("b")]],
    ["joins lines", "data: a\ndata: b\ndata\ndata:\n\n", [message("a\nb\n\n")]],
    ["takes one space away", "data:  a\n\ndata:a\n\n", [message(" a"), message("a")]],
    ["keeps the id for what follows", "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", [message("a", "1"), message("b", "1"), message("c", "")]],
    ["refuses an id with a zero", "id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n", [message("a", "1"), message("b", "1")]],
    ["names an event once", "event: x\ndata: a\n\ndata: b\n\n", [{ event: "x", data: "a", id: undefined }, message("b")]],
    ["gives no event without data", "event: x\nid: 7\n\n\n: hb\n\ndata: a\n\n", [message("a", "7")]],
    ["leaves out comments and unknown fields", ": hb\nretry: 5\nwhat: ever\ndata: a\n\n", [message("a")]],
    ["keeps colons", "data: {\"a\": \"b:c\"}\n\n", [message('{"a": "b:c"}')]],
    ["leaves out a byte order mark", "\uFEFFdata: a\n\n", [message("a")]],
    ["drops what did not end", "data: a\n\ndata: b\n", [message("a")]],
    ["has characters of all sizes", "data: é€𝄞\n\n", [message("é€𝄞")]],
    ["is empty", "", []],
  ];
  // A carriage return at the end may be half a line end, so that something has to follow it.
  const endings: [string, (text: string) => string][] = [
    ["line feeds", (text) => text],
    ["both", (text) => text.replaceAll("\n", "\r\n")],
    ["carriage returns", (text) => `${text.replaceAll("\n", "\r")}:`],
    ["mixed", (text) => `${text.replace(/\n\n/g, "\r\r\n").replace(/([^\r])\n/, "$1\r")}:`],
  ];

  for (const [name, text, events] of table) {
    for (const [ending, change] of endings) {
      test(`${name}, with ${ending}, wherever it is cut`, () => {
        const whole = bytes(change(text));
        expect(parse(whole)).toEqual(events);
        expect(parse(...Array.from(whole, (byte) => Uint8Array.of(byte)))).toEqual(events);
        for (let cut = 0; cut <= whole.length; cut += 1) {
          expect(parse(whole.subarray(0, cut), whole.subarray(cut)), `cut at ${cut}`).toEqual(events);
        }
      });
    }
  }

  test("gives each event as soon as it is whole", () => {
    const parser = new EventStreamParser();
    expect(parser.push(bytes("data: a\n"))).toEqual([]);
    expect(parser.push(bytes("\ndata: b"))).toEqual([message("a")]);
    expect(parser.push(bytes("\n\n"))).toEqual([message("b")]);
  });
});

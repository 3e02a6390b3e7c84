// From the bytes of `text/event-stream` to events, however the bytes are cut.
//
// Must never give an event that did not end: what stands behind the last empty line is dropped with the connection.

/** One event of a stream. */
export interface ServerEvent {
  /** Its name; `message` where the server names none. */
  readonly event: string;
  /** Its data, lines joined by line feeds. */
  readonly data: string;
  /** The id of this event, or of the last one before it that had any. */
  readonly id: string | undefined;
}

/** Takes bytes in pieces of any size, and gives the events that are whole with them. */
export class EventStreamParser {
  // Leaves out a byte order mark, and holds back half characters.
  readonly #decoder = new TextDecoder();
  #rest = "";
  #event = "";
  #data: string[] = [];
  #id: string | undefined;

  push(bytes: Uint8Array): ServerEvent[] {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    const events: ServerEvent[] = [];
    for (;;) {
      const end = this.#rest.search(/[\r\n]/);
      // A carriage return may be the first half of a line end.
      if (end < 0 || (this.#rest[end] === "\r" && end + 1 === this.#rest.length)) return events;
      const line = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(this.#rest.startsWith("\r\n", end) ? end + 2 : end + 1);
      const event = this.#line(line);
      if (event) events.push(event);
    }
  }

  #line(line: string): ServerEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return undefined;
  }

  #dispatch(): ServerEvent | undefined {
    const [event, data] = [this.#event || "message", this.#data];
    this.#event = "";
    this.#data = [];
    return data.length > 0 ? { event, data: data.join("\n"), id: this.#id } : undefined;
  }
}

// What a program needs to speak with an engross server: sessions, streamed writes, documents and tasks.
//
// Must never hold anything of its own.
export * from "../src/session-client.ts";
export * from "../src/server-client.ts";
export * from "../src/tasks-client.ts";
export { beginWrite, resumeWrite } from "../src/write-session.ts";
export type { Begin, Happened, Receipt as WriteReceipt, Standing, WriteOptions, WriteSession } from "../src/write-session.ts";

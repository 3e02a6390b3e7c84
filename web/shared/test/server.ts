// The real server as a process of its own, and a line to it that can be cut.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { env as environment } from "node:process";
import { fileURLToPath } from "node:url";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The binary; undefined where there is none. */
export const binary = [process.env["ENGROSS_BIN"] ?? here("../../../target/ci/engross")].find((path) => existsSync(path));

export interface Server {
  readonly baseUrl: string;
  /** Where its data is. */
  readonly data: string;
  /** Stops it as a crash would, and keeps its data. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts `engross serve` with the script beside this file. */
export function serve(...more: string[]): Promise<Server> {
  return serveModel(`script:${here("script.json")}`, {}, ...more);
}

/** Starts `engross serve` with a model, at a port and with data of its own unless it is told others. */
export async function serveModel(
  model: string,
  { port = 0, data = mkdtempSync(join(tmpdir(), "engross-web-")), variables = {} }: { port?: number; data?: string; variables?: Readonly<Record<string, string>> },
  ...more: string[]
): Promise<Server> {
  const options = ["serve", "--listen", `127.0.0.1:${port}`, "--data", data, "--model", model, ...more];
  const process = spawn(binary ?? "engross", options, { stdio: ["ignore", "ignore", "pipe"], env: { ...environment, ...variables } });
  const ended = new Promise<void>((resolve) => process.once("exit", () => resolve()));
  const said: string[] = [];
  for await (const line of createInterface({ input: process.stderr })) {
    said.push(line);
    const [baseUrl] = /http:\S+/.exec(line) ?? [];
    if (!baseUrl) continue;
    process.stderr.resume();
    const stop = async () => {
      process.kill();
      await ended;
      rmSync(data, { recursive: true, force: true });
    };
    const kill = async () => {
      process.kill("SIGKILL");
      await ended;
    };
    return { baseUrl, data, kill, stop };
  }
  throw new Error(`the server did not start: ${said.join("\n")}`);
}

export interface Line {
  readonly baseUrl: string;
  /** How many connections there were. */
  readonly connections: () => number;
  close(): Promise<void>;
}

/** A line to `baseUrl` whose connections break after so many bytes of answer, one after the other; those after the last do not. */
export async function line(baseUrl: string, ...breaks: number[]): Promise<Line> {
  const target = new URL(baseUrl);
  const open = new Set<Socket>();
  let connections = 0;
  const proxy = createServer((near) => {
    let left = breaks[connections] ?? Number.POSITIVE_INFINITY;
    connections += 1;
    const far = connect(Number(target.port), target.hostname);
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("error", end).on("close", end);
    }
    near.pipe(far);
    far.on("data", (bytes: Buffer) => {
      const given = bytes.subarray(0, left);
      left -= given.length;
      if (left > 0) near.write(given);
      else near.end(given, end);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}${target.pathname}`,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        proxy.close(() => resolve());
      }),
  };
}

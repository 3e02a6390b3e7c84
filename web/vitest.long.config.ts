import { defineConfig } from "vitest/config";

// Each test is told of when it is over, so that a run that is stopped has said something.
export default defineConfig({ test: { include: ["*/test/**/*.long.ts"], testTimeout: 300_000, hookTimeout: 60_000, maxWorkers: 1, maxConcurrency: 3, reporters: ["verbose"] } });

import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["*/test/**/*.long.ts"], testTimeout: 300_000, hookTimeout: 60_000, maxWorkers: 1, maxConcurrency: 3 } });

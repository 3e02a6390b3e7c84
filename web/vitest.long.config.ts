import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["*/test/**/*.long.ts"], testTimeout: 300_000 } });

// A host for the reference's plugin that is just large enough: sessions in memory, methods by name, one question and one answer
// a line. Must never answer a question itself: what comes out is the plugin's.
//
//     node plugin_host.mjs PLUGIN-FOLDER WORKSPACE MEDIA
import { register } from "node:module";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

// The two modules of the gateway that the plugin imports.
const doubles = {
  "openclaw/plugin-sdk/plugin-entry": "export const definePluginEntry = (entry) => entry;",
  "openclaw/plugin-sdk/plugin-runtime": "export const getPluginRuntimeGatewayRequestScope = () => undefined;",
};
const hook = `const doubles = ${JSON.stringify(doubles)};
export const resolve = (name, context, next) => name in doubles
  ? { url: "data:text/javascript," + encodeURIComponent(doubles[name]), shortCircuit: true }
  : next(name, context);`;
register("data:text/javascript," + encodeURIComponent(hook));

const [folder, workspaceDir, openClawMediaDir] = process.argv.slice(2);
const sessions = new Map();
const methods = new Map();
const listeners = new Map();
const session = {
  getSessionEntry: ({ sessionKey }) => sessions.get(sessionKey),
  listSessionEntries: () => [...sessions].map(([sessionKey, entry]) => ({ sessionKey, entry })),
  patchSessionEntry: async ({ sessionKey, fallbackEntry, update }) => {
    const entry = sessions.get(sessionKey) ?? fallbackEntry;
    sessions.set(sessionKey, { ...entry, ...(await update(entry)) });
  },
};
const api = {
  config: {},
  pluginConfig: { workspaceDir, openClawMediaDir, openClawTmpDir: path.join(openClawMediaDir, "none") },
  logger: { warn: (line) => console.error(line) },
  runtime: { agent: { session } },
  registerSessionExtension: () => {},
  registerHook: () => {},
  registerTool: () => {},
  on: (name, listener) => listeners.set(name, listener),
  registerGatewayMethod: (name, method) => methods.set(name, method),
};
const plugin = (await import(pathToFileURL(path.join(folder, "dist/index.js")))).default;
plugin.register(api);
console.log(JSON.stringify({ methods: [...methods.keys()].sort() }));
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { method, params } = JSON.parse(line);
  if (listeners.has(method)) {
    await listeners.get(method)(params, params);
    console.log("{}");
    continue;
  }
  await methods.get(method)({
    params,
    respond: (ok, result, error) => console.log(JSON.stringify(ok ? { result } : { error })),
  });
}

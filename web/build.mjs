// Builds the workbench and the pane of Word into the files that the server embeds, and notes what they were built from.
//
// Must never write what depends on the machine or the moment.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..");
const out = join(root, "crates/http/assets");

const common = { bundle: true, minify: true, charset: "utf8", legalComments: "none", target: ["es2022"], logLevel: "warning", write: false };
const bundle = async (entry, format = "esm") => {
  const options = { ...common, entryPoints: [join(here, entry)], ...(entry.endsWith(".css") ? {} : { format, jsx: "automatic", jsxImportSource: "preact" }) };
  return (await build(options)).outputFiles[0].contents;
};
const files = {
  "workbench.html": readFileSync(join(here, "workbench/index.html")),
  "workbench.js": await bundle("workbench/src/main.tsx"),
  "workbench.css": await bundle("workbench/src/style/workbench.css"),
  "taskpane.html": readFileSync(join(here, "taskpane/index.html")),
  // Before the vendor's script, so that its rule holds for that, too.
  "policy.js": await bundle("taskpane/src/policy.ts", "iife"),
  "taskpane.js": await bundle("taskpane/src/main.tsx"),
  "taskpane.css": await bundle("taskpane/src/style/taskpane.css"),
};
for (const [name, bytes] of Object.entries(files)) writeFileSync(join(out, name), bytes);

// The same is done by the test in xtask/src/web_tests.rs.
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");
const beneath = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const folders = ["web/workbench/src", "web/taskpane/src", "web/shared/src"];
const others = [
  "crates/docx/src/html/style.css",
  "web/build.mjs",
  "web/workbench/index.html",
  "web/taskpane/index.html",
  "web/engine/src/client.ts",
  "web/engine/src/types.ts",
  "web/package-lock.json",
];
const sources = [...folders.flatMap((folder) => beneath(join(root, folder))), ...others.map((file) => join(root, file))]
  .map((file) => [relative(root, file).replaceAll("\\", "/"), file])
  .sort(([one], [other]) => (one < other ? -1 : 1));
const all = createHash("sha256");
for (const [name, file] of sources) all.update(`${name} ${hash(readFileSync(file))}\n`);
const lines = [["sources", all.digest("hex")], ...Object.entries(files).map(([name, bytes]) => [name, hash(bytes)])];
writeFileSync(join(out, "built-from.txt"), lines.map((line) => `${line.join(" ")}\n`).join(""));

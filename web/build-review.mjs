// Builds the page that people decide on tracked changes with in the window of a chat into the one file that `engross mcp` hands out.
//
// Must never write what depends on the machine or the moment.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..");
const out = join(root, "crates/mcp/assets");

const common = { bundle: true, minify: true, charset: "utf8", legalComments: "none", target: ["es2022"], logLevel: "warning", write: false };
const text = async (options) => (await build({ ...common, ...options })).outputFiles[0].text.trim();
const script = await text({
  entryPoints: [join(here, "review/src/main.tsx")],
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
});
const style = await text({ entryPoints: [join(here, "review/src/review.css")] });
const page = readFileSync(join(here, "review/index.html"), "utf8")
  .replace("/*STYLE*/", () => style)
  .replace("/*SCRIPT*/", () => script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--"));
writeFileSync(join(out, "review.html"), page);

// The same is done by the test in xtask/src/review_page_tests.rs.
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");
const beneath = readdirSync(join(here, "review/src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const others = [
  "web/build-review.mjs",
  "web/review/index.html",
  "web/shared/src/shown.ts",
  "web/workbench/src/document/rows.ts",
  "web/package-lock.json",
];
const sources = [...beneath, ...others.map((file) => join(root, file))]
  .map((file) => [relative(root, file).replaceAll("\\", "/"), file])
  .sort(([one], [other]) => (one < other ? -1 : 1));
const all = createHash("sha256");
for (const [name, file] of sources) all.update(`${name} ${hash(readFileSync(file))}\n`);
writeFileSync(join(out, "built-from.txt"), `sources ${all.digest("hex")}\nreview.html ${hash(page)}\n`);

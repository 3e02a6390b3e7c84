// The scanner `compatcanary`, as its command is run. Each of its probes is a check.
//
// The model's answers to its probes of forced calls and structured output are scripted: these show that calls and texts pass
// through unchanged, not that any model obeys.
import { spawnSync } from "node:child_process";
import { BASE_URL, run, same, session } from "./checks.mjs";

const [[name, key]] = Object.entries(session());
const scan = [
  new URL("../node_modules/compatcanary/src/cli.js", import.meta.url).pathname,
  "scan", "--base-url", BASE_URL, "--model", "engross", "--profile", "modern", "--format", "json", "--header", `${name}: ${key}`,
];
const done = spawnSync(process.execPath, scan, { encoding: "utf8" });
const report = JSON.parse(done.stdout);

const probes = report.results.map(({ name, status, summary }) => {
  const check = () => same([status, summary], ["pass", summary]);
  return Object.defineProperty(check, "name", { value: name.toLowerCase() });
});

function score() {
  same([report.score, report.summary.total, done.status], [100, 7, 0]);
}

await run("compatcanary", ...probes, score);

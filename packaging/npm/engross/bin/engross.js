#!/usr/bin/env node
// Starts the program of engross that npm has installed for this platform, and ends as it ends.
//
// Must never download anything: the program is in a package of its own, which npm chooses among the optional dependencies.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

/** Where the program is; undefined when npm has left its package out. */
function program() {
  const file = process.platform === "win32" ? "bin/engross.exe" : "bin/engross";
  try {
    return require.resolve(`@engross/${process.platform}-${process.arch}/${file}`);
  } catch {
    return undefined;
  }
}

const path = process.env.ENGROSS_PROGRAM || program();
if (path === undefined) {
  process.stderr.write(
    `engross: there is no program for ${process.platform}-${process.arch} here. If npm was told to leave out optional dependencies, ` +
      `install again without --omit=optional; else build engross from its sources and name the program in ENGROSS_PROGRAM.\n`,
  );
  process.exitCode = 1;
} else {
  const child = spawn(path, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
  // A terminal sends Ctrl-C to both; the program decides what it means. Other signals come to this process alone.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (problem) => {
    process.stderr.write(`engross: ${path} cannot be started: ${problem.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}

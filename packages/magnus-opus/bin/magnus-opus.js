#!/usr/bin/env sh
":" //; node=$(command -v node); case "$node $(readlink "$node")" in " " | */bun-node-* | */bun | */bun.exe) exec bun --env-file=/dev/null --config=/dev/null "$0" "$@" ;; esac; exec node "$0" "$@"
// To a shell, the line above starts this file; to JavaScript, it is a word and a comment. Node runs it where there is one. Bun
// must not load the bunfig.toml and .env of the folder that it is started in: a clone's author would run code before ours.

import { existsSync } from "node:fs";

const program = new URL("../dist/bundle/cli.js", import.meta.url);
if (existsSync(program)) {
  const { start } = await import(program.href);
  await start();
} else {
  console.error("magnus-opus is not built yet. Run `npm run setup` in the repository.");
  process.exitCode = 6;
}

#!/usr/bin/env node

import { existsSync } from "node:fs";

const program = new URL("../dist/bundle/cli.js", import.meta.url);
if (existsSync(program)) {
  const { start } = await import(program.href);
  await start();
} else {
  console.error("magnus-opus is not built yet. Run `npm run setup` in the repository.");
  process.exitCode = 6;
}

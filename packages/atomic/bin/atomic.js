#!/usr/bin/env node

import { existsSync } from "node:fs";

const program = new URL("../dist/bundle/main.js", import.meta.url);
if (existsSync(program)) {
  const { start } = await import(program.href);
  await start();
} else {
  console.error("atomic is not built yet. Run `npm run setup` in the repository.");
  process.exitCode = 6;
}

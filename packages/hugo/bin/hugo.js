#!/usr/bin/env node

import { existsSync } from "node:fs";

const program = new URL("../dist/bundle/main.js", import.meta.url);
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`hugo needs Node 20.19 or newer; this is Node ${process.versions.node}.`);
  process.exitCode = 6;
} else if (existsSync(program)) {
  const { start } = await import(program.href);
  await start();
} else {
  console.error("hugo is not built yet. Run `npm run setup` in the repository.");
  process.exitCode = 6;
}

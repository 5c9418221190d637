#!/usr/bin/env node
// What `bin/magnus-opus.js` is made of (bundle.mjs).
import { start } from "./cli/main.ts";

await start();

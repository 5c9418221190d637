#!/usr/bin/env node
// What `hugo` runs: this file is `bin/hugo.js`, and the program beside it.
import { start } from "./main.ts";

await start();

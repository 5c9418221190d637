#!/usr/bin/env node
import { start } from "../dist/bundle/cli.js";

await start();

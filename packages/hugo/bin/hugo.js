#!/usr/bin/env node
import { start } from "../dist/bundle/main.js";

await start();

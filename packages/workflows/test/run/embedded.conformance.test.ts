import { setDefaultTimeout } from "bun:test";
import { engineContract } from "./conformance.ts";
import { embeddedHarness } from "./embedded-harness.ts";

setDefaultTimeout(180_000);

engineContract("in a folder, by several processes", embeddedHarness);

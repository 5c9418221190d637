import { setDefaultTimeout } from "bun:test";
import { engineContract } from "./conformance.ts";
import { embeddedHarness } from "./embedded-harness.ts";
import { fleetContract } from "./fleet-contract.ts";

setDefaultTimeout(180_000);

engineContract("in a folder, by several processes", embeddedHarness);
fleetContract("in a folder, by several processes", embeddedHarness);

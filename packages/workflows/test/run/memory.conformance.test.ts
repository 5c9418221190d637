import { engineContract } from "./conformance.ts";
import { fleetContract } from "./fleet-contract.ts";
import { memoryHarness } from "./memory-harness.ts";

engineContract("in memory", () => memoryHarness());
fleetContract("in memory", () => memoryHarness());

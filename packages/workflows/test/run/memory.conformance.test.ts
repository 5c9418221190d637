import { engineContract } from "./conformance.ts";
import { memoryHarness } from "./memory-harness.ts";

engineContract("in memory", () => memoryHarness());

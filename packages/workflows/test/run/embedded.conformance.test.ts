import { afterAll, beforeAll, describe, setDefaultTimeout } from "bun:test";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { engineContract } from "./conformance.ts";
import { embeddedHarness, workerProgram } from "./embedded-harness.ts";
import { fleetContract } from "./fleet-contract.ts";
import { builtForNode } from "./worker-process.ts";

setDefaultTimeout(180_000);

engineContract("in a folder, by several processes", () => embeddedHarness());
fleetContract("in a folder, by several processes", () => embeddedHarness());

describe("on Node", () => {
  let folder: TemporaryFolder;
  let command: readonly string[];
  beforeAll(async () => {
    folder = await temporaryFolder("worker-");
    command = await builtForNode(workerProgram, folder.path);
  });
  afterAll(async () => await folder?.[Symbol.asyncDispose]());

  engineContract("in a folder, with workers on Node", () => embeddedHarness(command));
  fleetContract("in a folder, with workers on Node", () => embeddedHarness(command));
});

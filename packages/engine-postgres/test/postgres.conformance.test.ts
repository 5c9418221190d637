import { afterAll, beforeAll, describe, setDefaultTimeout } from "bun:test";
import type { Postgres } from "@atomic/testing/postgres";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { engineContract } from "../../workflows/test/run/conformance.ts";
import { fleetContract } from "../../workflows/test/run/fleet-contract.ts";
import { builtForNode } from "../../workflows/test/run/worker-process.ts";
import { isSkipped, postgresHarness, serverForTests, workerProgram } from "./postgres-harness.ts";

setDefaultTimeout(180_000);

describe.skipIf(isSkipped)("Postgres", () => {
  let server: Postgres;
  let folder: TemporaryFolder;
  let onNode: readonly string[];
  beforeAll(async () => {
    server = await serverForTests();
    folder = await temporaryFolder("worker-");
    onNode = await builtForNode(workerProgram, folder.path);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  engineContract("in a database", () => postgresHarness(server));
  fleetContract("in a database", () => postgresHarness(server));

  engineContract("with workers on Node", () => postgresHarness(server, { command: onNode }));
  fleetContract("with workers on Node", () => postgresHarness(server, { command: onNode }));
});

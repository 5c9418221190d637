// The same contract without anything that belongs to a connection, and with workers on Node.
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
  let command: readonly string[];
  beforeAll(async () => {
    server = await serverForTests();
    folder = await temporaryFolder("pooled-");
    command = await builtForNode(workerProgram, folder.path);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const name = "behind a pooler, with workers on Node";
  const harness = () => postgresHarness(server, { parameters: "&mode=pooled", command });
  engineContract(name, harness);
  fleetContract(name, harness);
});

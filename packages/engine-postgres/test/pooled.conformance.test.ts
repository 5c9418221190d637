// The same contract without anything that belongs to a connection, and with workers on Node.
import { afterAll, beforeAll, describe, setDefaultTimeout } from "bun:test";
import { join } from "node:path";
import type { Postgres } from "@atomic/testing/postgres";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { engineContract } from "../../workflows/test/run/conformance.ts";
import { fleetContract } from "../../workflows/test/run/fleet-contract.ts";
import { isSkipped, postgresHarness, serverForTests, workerProgram } from "./postgres-harness.ts";

setDefaultTimeout(180_000);

describe.skipIf(isSkipped)("Postgres", () => {
  let server: Postgres;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    server = await serverForTests();
    folder = await temporaryFolder("pooled-");
    const entrypoints = [workerProgram];
    await Bun.build({ entrypoints, outdir: folder.path, target: "node", conditions: ["bun"], naming: "[name].mjs" });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const name = "behind a pooler, with workers on Node";
  const harness = () =>
    postgresHarness(server, { parameters: "&mode=pooled", command: ["node", join(folder.path, "worker.mjs")] });
  engineContract(name, harness);
  fleetContract(name, harness);
});

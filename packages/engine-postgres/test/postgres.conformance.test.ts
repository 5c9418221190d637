import { afterAll, beforeAll, describe, setDefaultTimeout } from "bun:test";
import type { Postgres } from "@atomic/testing/postgres";
import { engineContract } from "../../workflows/test/run/conformance.ts";
import { fleetContract } from "../../workflows/test/run/fleet-contract.ts";
import { isSkipped, postgresHarness, serverForTests } from "./postgres-harness.ts";

setDefaultTimeout(180_000);

describe.skipIf(isSkipped)("Postgres", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await serverForTests();
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  engineContract("in a database", () => postgresHarness(server));
  fleetContract("in a database", () => postgresHarness(server));
});

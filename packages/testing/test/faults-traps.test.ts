// Why the product never uses these calls on a user's file. Each is what the runtime really does, so a new version of
// it that behaves better makes a test fail, and the rule can be looked at again.
import { expect } from "bun:test";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { after, before, sweepWriter } from "./faults-support.ts";

faultTest("Bun's writeSync reports success for half of the text after a short write", async () => {
  const report = await sweepWriter("Bun", "unlooped.mjs", { faults: ["short"] });
  const half = after.slice(0, Math.floor(after.length / 2));
  expect(report.failures).toMatchObject([
    { operation: { call: "write" }, problem: `the config is ${JSON.stringify(half)}`, exitCode: 0 },
  ]);
});

faultTest("Node's writeSync writes the rest after a short write", async () => {
  const report = await sweepWriter("Node", "unlooped.mjs", { faults: ["short"] });
  expect(report).toMatchObject({ runs: 1, failures: [], notReached: [] });
});

faultTest("Bun's writeFileSync empties the file when the disk is full", async () => {
  const report = await sweepWriter("Bun", "naive.mjs", { faults: ["enospc"] });
  expect(report.failures).toContainEqual(
    expect.objectContaining({
      operation: expect.objectContaining({ call: "write" }),
      problem: 'the config is ""',
      exitCode: 1,
    }),
  );
});

faultTest("Bun's writeFileSync truncates last: killed before, new text is followed by the old tail", async () => {
  const report = await sweepWriter("Bun", "naive.mjs", { faults: ["kill"] });
  const mixed = after + before.slice(after.length);
  expect(report.failures).toMatchObject([
    { operation: { call: "ftruncate" }, problem: `the config is ${JSON.stringify(mixed)}` },
  ]);
});

faultTest("Bun's writeFileSync reports success when it cannot truncate", async () => {
  const report = await sweepWriter("Bun", "naive.mjs", { faults: ["eio"] });
  expect(report.failures).toContainEqual(
    expect.objectContaining({ operation: expect.objectContaining({ call: "ftruncate" }), exitCode: 0 }),
  );
});

faultTest("Node's writeFileSync empties the file first: killed in between, nothing is left", async () => {
  const report = await sweepWriter("Node", "naive.mjs", { faults: ["kill"] });
  expect(report.failures).toMatchObject([{ operation: { call: "write" }, problem: 'the config is ""' }]);
});

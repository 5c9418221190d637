// Every file-system operation of a command meets every fault. `SWEEP=full` visits all of them, an everyday run a sample.
import { afterAll, expect } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { formatReport, type SweepScenario, sweepInParallel, sweepPoints } from "@atomic/testing/faults";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { placeFor } from "../../src/workspace/place.ts";
import { readSnapshot } from "../../src/workspace/snapshot.ts";
import { treeOf } from "../workspace/tree.ts";
import { runCommand, writeProject } from "./scenario/project.ts";

const bundle = await temporaryFolder("scenario-");
afterAll(() => bundle[Symbol.asyncDispose]());
const entrypoint = fileURLToPath(import.meta.resolve("./scenario/command.ts"));
await Bun.build({
  entrypoints: [entrypoint],
  outdir: bundle.path,
  target: "node",
  conditions: ["bun"],
  naming: "[name].mjs",
});
const program = join(bundle.path, "command.mjs");
const minutes = 60_000;

async function prepare(project: string): Promise<void> {
  fs.rmSync(project, { recursive: true, force: true });
  await writeProject(project);
}

/** All that is the user's; what Hugo keeps for itself is swept with the transaction. */
function ownTree(project: string): Record<string, string> {
  return Object.fromEntries(Object.entries(treeOf(project)).filter(([path]) => !path.startsWith(".opencode/.hugo/")));
}

async function expectBeforeOrAfter(command: string, runtime: string): Promise<void> {
  await using folder = await temporaryFolder();
  const pattern = join(folder.path, "pattern/project");
  await prepare(pattern);
  const before = ownTree(pattern);
  await runCommand(command, pattern);
  const after = ownTree(pattern);
  expect(after).not.toEqual(before);

  const scenarioIn = (project: string): SweepScenario => ({
    under: project,
    command: [runtime, program, command, project],
    prepare: () => prepare(project),
    recover: async () => {
      await readSnapshot(placeFor({ cwd: project, home: join(project, "../home"), env: {} }, { global: false }));
    },
    check: ({ fault, outcome }) => {
      const now = ownTree(project);
      const done = isDeepStrictEqual(now, after);
      if (!done && !isDeepStrictEqual(now, before)) return `neither before nor after: ${JSON.stringify(now, null, 1)}`;
      const left = fs.readdirSync(join(project, ".opencode/.hugo")).filter((name) => name.startsWith("transaction."));
      if (left.length > 0) return `left behind: ${left.join(", ")}`;
      if (!done && outcome.exitCode === 0) return "success was reported without a change";
      return fault === "short" && !done ? "a short write was taken for a failure" : undefined;
    },
  });
  const sideBySide = [scenarioIn(join(folder.path, "a/project")), scenarioIn(join(folder.path, "b/project"))] as const;
  const report = await sweepInParallel(sideBySide, { points: sweepPoints({ max: 3 }) });
  expect(report.failures, formatReport(report)).toEqual([]);
}

for (const command of ["enable", "disable", "switch", "remove"]) {
  faultTest(
    `${command} is whole or has never been`,
    () => expectBeforeOrAfter(command, process.execPath),
    30 * minutes,
  );
}

faultTest("so is switch under Node", () => expectBeforeOrAfter("switch", "node"), 30 * minutes);

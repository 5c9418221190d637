import { afterAll, expect } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import { recover } from "@atomic/durable-files/recover";
import { type Scenario, sweepInParallel } from "@atomic/testing/faults";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { sweepPoints } from "@atomic/testing/faults/points";
import { formatReport } from "@atomic/testing/faults/report";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { after, before, expectedProject, readProject, stateDir, writeProject } from "./scenario/project-files.ts";
import { bundleScenarios, runtimes } from "./scenario/runtimes.ts";

const scenarios = await bundleScenarios("install", "recover");
afterAll(() => scenarios[Symbol.asyncDispose]());

function beforeOrAfter(project: string): "before" | "after" | "neither" {
  // The state folder is not there yet if the fault met its creation.
  const now = { ...readProject(project), ".opencode/.hugo/": "", ".opencode/.hugo/lock/": "" };
  if (isDeepStrictEqual(now, expectedProject(before))) return "before";
  return isDeepStrictEqual(now, expectedProject(after)) ? "after" : "neither";
}

for (const runtime of runtimes) {
  faultTest(
    `an installation on ${runtime.name} is complete or absent after any fault at any operation`,
    async () => {
      await using folder = await temporaryFolder();
      const at = (project: string): Scenario => ({
        under: project,
        command: scenarios.run(runtime, "install", project),
        env: runtime.env,
        prepare: () => writeProject(project, before),
        recover: async () => {
          await recover(stateDir(project));
        },
        check: ({ outcome }) => {
          const state = beforeOrAfter(project);
          if (state === "neither") return `neither before nor after: ${JSON.stringify(readProject(project), null, 1)}`;
          return outcome.exitCode === 0 && state === "before" ? "success was reported without a change" : undefined;
        },
      });
      const report = await sweepInParallel([at(`${folder.path}/a`), at(`${folder.path}/b`)], {
        points: sweepPoints({ max: 6 }),
      });
      console.log(formatReport(report).slice(0, 6000));
      expect(report.failures, formatReport(report)).toEqual([]);
      expect(report.notReached).toEqual([]);
    },
    20 * 60_000,
  );
}

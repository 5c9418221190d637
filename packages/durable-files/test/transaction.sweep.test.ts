// Every file-system operation of a transaction and of its recovery meets every fault, on every runtime.
// `SWEEP=full` visits all of them, an everyday run a sample.
import { afterAll, expect } from "bun:test";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { recover } from "@atomic/durable-files/transaction/recover";
import { type FaultRun, formatReport, type SweepScenario, sweepInParallel, sweepPoints } from "@atomic/testing/faults";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { interrupt } from "./scenario/interrupted.ts";
import { after, before, expectedProject, readProject, stateDir, writeProject } from "./scenario/project-files.ts";
import { bundleScenarios, type Runtime, runtimes, sampledRuntimes } from "./scenario/runtimes.ts";

const scenarios = await bundleScenarios("install", "recover");
afterAll(() => scenarios[Symbol.asyncDispose]());

const minutes = 60_000;
const deleted = ".opencode/agents/legacy/old.md";
type Files = Readonly<Record<string, string>>;

function isProject(project: string, files: Files): boolean {
  // The state folder is not there yet if the fault met its creation.
  const now = { ...readProject(project), ".opencode/.hugo/": "", ".opencode/.hugo/lock/": "" };
  return isDeepStrictEqual(now, expectedProject(files));
}

const describeProject = (project: string): string => JSON.stringify(readProject(project), null, 1);

type Swept = {
  scenario: "install" | "recover";
  prepare: (project: string) => Promise<void> | void;
  /** What happens between the fault and the next command. */
  meanwhile?: (project: string) => void;
  check: (project: string, run: FaultRun) => string | undefined;
};

async function expectNoFailures(runtime: Runtime, { scenario, prepare, meanwhile, check }: Swept): Promise<void> {
  await using folder = await temporaryFolder();
  const scenarioIn = (project: string): SweepScenario => ({
    under: project,
    command: scenarios.run(runtime, scenario, project),
    env: runtime.env,
    prepare: () => prepare(project),
    recover: async () => {
      meanwhile?.(project);
      await recover(stateDir(project));
    },
    check: (run) => check(project, run),
  });
  const sideBySide = [scenarioIn(join(folder.path, "a")), scenarioIn(join(folder.path, "b"))] as const;
  const report = await sweepInParallel(sideBySide, { points: sweepPoints({ max: 2 }) });
  expect(report.failures, formatReport(report)).toEqual([]);
  expect(report.notReached).toEqual([]);
  expect(report.varies).toBe(false);
}

for (const runtime of runtimes) {
  faultTest(
    `an installation on ${runtime.name} is complete or absent after any fault at any operation`,
    () =>
      expectNoFailures(runtime, {
        scenario: "install",
        prepare: (project) => writeProject(project, before),
        check: (project, { fault, outcome }) => {
          const done = isProject(project, after);
          if (!done && !isProject(project, before)) return `neither before nor after: ${describeProject(project)}`;
          if (!done && outcome.exitCode === 0) return "success was reported without a change";
          return fault === "short" && !done ? "a short write was taken for a failure" : undefined;
        },
      }),
    20 * minutes,
  );
}

for (const runtime of sampledRuntimes) {
  faultTest(
    `finishing an installation on ${runtime.name} can itself be interrupted by any fault at any operation`,
    () =>
      expectNoFailures(runtime, {
        scenario: "recover",
        prepare: async (project) => void (await interrupt(project, 2)),
        check: (project) => (isProject(project, after) ? undefined : `not finished: ${describeProject(project)}`),
      }),
    20 * minutes,
  );

  faultTest(
    `putting an installation back on ${runtime.name} can itself be interrupted by any fault at any operation`,
    () =>
      expectNoFailures(runtime, {
        scenario: "recover",
        prepare: async (project) => {
          await interrupt(project, 3);
          fs.writeFileSync(join(project, deleted), "edited");
        },
        check: (project) => {
          const expected = { ...before, [deleted]: "edited" };
          return isProject(project, expected) ? undefined : `not put back: ${describeProject(project)}`;
        },
      }),
    20 * minutes,
  );
}

const bun = runtimes[1]!;

faultTest(
  "a decision to put back holds, even if the edit that caused it is taken back before the next command",
  () =>
    expectNoFailures(bun, {
      scenario: "recover",
      prepare: async (project) => {
        await interrupt(project, 3);
        fs.writeFileSync(join(project, deleted), "edited");
      },
      meanwhile: (project) => fs.writeFileSync(join(project, deleted), before[deleted]!),
      check: (project) =>
        isProject(project, before) || isProject(project, after)
          ? undefined
          : `half put back: ${describeProject(project)}`,
    }),
  20 * minutes,
);

faultTest(
  "a file that is created again after the installation was interrupted stays, and nothing else changes",
  () =>
    expectNoFailures(bun, {
      scenario: "install",
      prepare: (project) => writeProject(project, before),
      meanwhile: (project) => {
        fs.mkdirSync(join(project, dirname(deleted)), { recursive: true });
        fs.writeFileSync(join(project, deleted), "made anew");
      },
      check: (project) => {
        const anew = { [deleted]: "made anew" };
        const whole = isProject(project, { ...before, ...anew }) || isProject(project, { ...after, ...anew });
        return whole ? undefined : `neither before nor after: ${describeProject(project)}`;
      },
    }),
  20 * minutes,
);

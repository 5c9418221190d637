// Every file-system operation of a command meets every fault. `SWEEP=full` visits all of them, an everyday run a sample.
import { afterAll, expect } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { formatReport, type SweepScenario, sweepInParallel, sweepPoints } from "@atomic/testing/faults";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { readSnapshot } from "../../src/workspace/snapshot.ts";
import { placeOf, runCommand } from "./scenario/commands.ts";
import { treeOf } from "./tree.ts";

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

const runtimes = { Bun: [process.execPath], Node: ["node"] };
const minutes = 60_000;

type Files = Readonly<Record<string, string>>;
const mine: Files = { "opencode.json": '{\n  // mine\n  "model": "a/b"\n}\n', ".opencode/agents/own.md": "Mine.\n" };

function write(project: string, files: Files): void {
  fs.rmSync(project, { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(join(project, path, ".."), { recursive: true });
    fs.writeFileSync(join(project, path), text);
  }
  fs.mkdirSync(join(project, ".git"), { recursive: true });
}

interface Swept {
  readonly command: string;
  readonly files: Files;
  /** Commands that were run before. */
  readonly earlier?: readonly string[];
  readonly runtime?: keyof typeof runtimes;
}

async function expectBeforeOrAfter({ command, files, earlier = [], runtime = "Bun" }: Swept): Promise<void> {
  await using folder = await temporaryFolder();
  const prepare = async (project: string): Promise<void> => {
    write(project, files);
    for (const name of earlier) await runCommand(name, project);
  };
  const pattern = join(folder.path, "pattern/project");
  await prepare(pattern);
  const before = treeOf(pattern);
  await runCommand(command, pattern);
  const after = treeOf(pattern);

  const scenarioIn = (project: string): SweepScenario => ({
    under: project,
    command: [...runtimes[runtime], program, command, project],
    prepare: () => prepare(project),
    // The next reader recovers, and the next change leaves nothing behind.
    recover: async () => {
      await readSnapshot(placeOf(project));
      await runCommand("nothing", project);
    },
    check: ({ fault, outcome }) => {
      const now = treeOf(project);
      const done = isDeepStrictEqual(now, after);
      if (!done && !isDeepStrictEqual(now, before)) return `neither before nor after: ${JSON.stringify(now, null, 1)}`;
      if (!done && outcome.exitCode === 0) return "success was reported without a change";
      return fault === "short" && !done ? "a short write was taken for a failure" : undefined;
    },
  });
  const sideBySide = [scenarioIn(join(folder.path, "a/project")), scenarioIn(join(folder.path, "b/project"))] as const;
  const report = await sweepInParallel(sideBySide, { points: sweepPoints({ max: 4 }) });
  expect(report.failures, formatReport(report)).toEqual([]);
  expect(report.notReached).toEqual([]);
}

faultTest(
  "a first installation is whole or has never been",
  () => expectBeforeOrAfter({ command: "install", files: {} }),
  30 * minutes,
);

faultTest(
  "an installation into a project with existing files happens completely or not at all",
  () => expectBeforeOrAfter({ command: "install", files: mine }),
  30 * minutes,
);

faultTest(
  "the same under Node",
  () => expectBeforeOrAfter({ command: "install", files: mine, runtime: "Node" }),
  30 * minutes,
);

faultTest(
  "a removal is whole or has never been",
  () => expectBeforeOrAfter({ command: "remove", files: mine, earlier: ["install"] }),
  30 * minutes,
);

faultTest(
  "taking back the only change is whole or has never been, and leaves no trace",
  () => expectBeforeOrAfter({ command: "undo", files: {}, earlier: ["install"] }),
  30 * minutes,
);

faultTest(
  "taking back a removal is whole or has never been",
  () => expectBeforeOrAfter({ command: "undo", files: mine, earlier: ["install", "remove"] }),
  30 * minutes,
);

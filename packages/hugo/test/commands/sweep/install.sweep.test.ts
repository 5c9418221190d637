// Every file-system operation of an installation meets every fault. `SWEEP=full` visits all of them, an everyday run a sample.
import { afterAll, expect } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { formatReport, type SweepScenario, sweepInParallel, sweepPoints } from "@atomic/testing/faults";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { placeFor } from "../../../src/workspace/place.ts";
import { readSnapshot } from "../../../src/workspace/snapshot.ts";
import { treeOf } from "../../workspace/tree.ts";
import { type Command, commands, run, writeScene } from "./scenario.ts";

const bundle = await temporaryFolder("installs-");
afterAll(() => bundle[Symbol.asyncDispose]());
await Bun.build({
  entrypoints: [fileURLToPath(import.meta.resolve("./scenario-command.ts"))],
  outdir: bundle.path,
  target: "node",
  conditions: ["bun"],
  naming: "[name].mjs",
});
// Hugo writes one of its templates into a project with plugins.
fs.cpSync(fileURLToPath(import.meta.resolve("../../../templates")), join(bundle.path, "templates"), {
  recursive: true,
});
const program = join(bundle.path, "scenario-command.mjs");
const isFull = sweepPoints() === "all";
const timeout = (isFull ? 240 : 30) * 60_000;

/** All that is the user's. */
function ownTree(project: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(treeOf(project)).filter(([path]) => !/^\.opencode\/\.hugo(?:\/|$)/.test(path)),
  );
}

/** What Hugo must not leave lying about. */
function leftovers(project: string): string[] {
  const state = join(project, ".opencode/.hugo");
  if (!fs.existsSync(state)) return [];
  const names = fs.readdirSync(state).filter((name) => name.startsWith("transaction."));
  const staged = fs.existsSync(join(state, "staging")) ? fs.readdirSync(join(state, "staging")) : [];
  return [...names, ...staged.map((name) => `staging/${name}`)];
}

async function expectBeforeOrAfter(command: Command, runtime: string): Promise<void> {
  await using folder = await temporaryFolder();
  const template = join(folder.path, "template");
  await writeScene(template, command);
  const place = (name: string): string => {
    fs.rmSync(join(folder.path, name), { recursive: true, force: true });
    fs.cpSync(template, join(folder.path, name), { recursive: true });
    return join(folder.path, name, "project");
  };
  const before = ownTree(join(template, "project"));
  const pattern = place("pattern");
  await run(command, pattern);
  const after = ownTree(pattern);
  expect(after).not.toEqual(before);

  const scenarioIn = (name: string): SweepScenario => {
    const project = join(folder.path, name, "project");
    return {
      under: project,
      command: [runtime, program, command, project],
      prepare: () => void place(name),
      recover: async () => {
        await readSnapshot(placeFor({ cwd: project, home: join(project, "../home"), env: {} }, { global: false }));
      },
      check: async ({ fault, outcome }) => {
        const now = ownTree(project);
        const done = isDeepStrictEqual(now, after);
        if (!done && !isDeepStrictEqual(now, before))
          return `neither before nor after: ${JSON.stringify(now, null, 1)}`;
        if (!done && outcome.exitCode === 0) return "success was reported without a change";
        if (fault === "short" && !done) return "a short write was taken for a failure";
        // Leftovers do no harm, and are gone after the next command.
        await run(done ? "ci" : command, project);
        if (!isDeepStrictEqual(ownTree(project), after)) return "the next command did not lead to the same end";
        return leftovers(project).length > 0 ? `left behind: ${leftovers(project).join(", ")}` : undefined;
      },
    };
  };
  const sideBySide = [scenarioIn("a"), scenarioIn("b")] as const;
  const report = await sweepInParallel(sideBySide, { points: sweepPoints({ max: runtime === "node" ? 1 : 2 }) });
  if (isFull) console.log(`${command}: ${formatReport(report)}`);
  expect(report.failures, formatReport(report)).toEqual([]);
}

for (const command of commands) {
  faultTest(`${command} is whole or has never been`, () => expectBeforeOrAfter(command, process.execPath), timeout);
  faultTest(`so is ${command} under Node`, () => expectBeforeOrAfter(command, "node"), timeout);
}

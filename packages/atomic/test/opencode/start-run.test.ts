import { expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { delimiter } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { findRuntime, startedRun } from "../../src/opencode/start-run.ts";

const problem = (message: string, hint?: string): string => `${JSON.stringify({ error: { message, hint } })}\n`;

test.each([
  ["a run", '{"runId":"calm-otter"}\n', { runId: "calm-otter", problem: "" }],
  ["a run after other lines", 'Loading\n{"runId":"calm-otter"}\n', { runId: "calm-otter", problem: "" }],
  [
    "a problem with what to do",
    problem("ship: <version> is missing.", "Run `atomic run ship --help` for usage."),
    { problem: "ship: <version> is missing. In a shell, `atomic run ship --help` shows its options." },
  ],
  [
    "why a workflow cannot be loaded",
    problem("the workflow dies cannot be loaded: it called process.exit(0)"),
    { problem: "The workflow dies cannot be loaded: it called process.exit(0)" },
  ],
  ["a problem alone", problem("Workflow not found: x"), { problem: "Workflow not found: x" }],
  [
    "the help, as JSON over several lines",
    '{\n  "name": "run"\n}\n',
    { problem: "This does not start a run. Type /run <workflow> [arguments]" },
  ],
  [
    "a problem whose hint is a command",
    problem("Unknown option --no-flag", "Run `npx -p @atomic/cli atomic run ship --help` for usage."),
    { problem: "Unknown option --no-flag. In a shell, `npx -p @atomic/cli atomic run ship --help` shows its options." },
  ],
  ["not JSON", "{not json}", { problem: "This does not start a run. Type /run <workflow> [arguments]" }],
  ["nothing", "", { problem: "This does not start a run. Type /run <workflow> [arguments]" }],
])("what atomic run prints is %s", (_, answer, started) => {
  expect(startedRun(answer)).toEqual(started);
});

const help = '{\n  "name": "run"\n}\n';
const plan = '{"ok":true,"dryRun":true}\n';

test.each([
  ["--help", help, ["quick", "--help"], "atomic run quick --help"],
  ["-h", help, ["quick", "a.ts", "-h"], "atomic run quick -h"],
  ["--help", help, ["--help"], "atomic run --help"],
  ["--dry-run", plan, ["ship it", "1.4.0", "--dry-run"], "atomic run 'ship it' --dry-run"],
  ["--dry-run", plan, ["--host", "copilot", "ship", "--dry-run"], "atomic run <workflow> --dry-run"],
])("%s belongs in a shell", (flag, answer, words, command) => {
  const problem = `${flag} only prints something. Run it in a shell: \`${command}\``;
  expect(startedRun(answer, words)).toEqual({ problem });
});

const isWindows = process.platform === "win32";
if (isWindows) console.warn("skipped: which Node works on a run, as these programs are shell scripts");

test.skipIf(isWindows).each([
  ["v18.20.4", false],
  ["v20.18.9", false],
  ["v20.19.0", true],
  ["v22.1.0", true],
  ["unknown", true],
])("a Node in PATH that is %s can work on a run: %p", async (version, isFine) => {
  await using project = await tmpProject({
    files: { "old/node": `#!/bin/sh\necho ${version}\n`, "new/bun": "#!/bin/sh\n" },
  });
  const node = project.path("old/node");
  await chmod(node, 0o755);
  const problem =
    `Runs need Node 20.19 or newer, but ${node} is Node ${version.slice(1)}. ` +
    "Put a newer Node first in PATH and restart OpenCode";
  const path = [project.path("new"), "", project.path("old")].join(delimiter);
  expect(await findRuntime(project.dir, path)).toEqual(isFine ? { command: node, env: {} } : { problem });
});

test("without Node, Bun works on a run, or the one inside OpenCode", async () => {
  const name = isWindows ? "bun.exe" : "bun";
  // What is not a program does not count, and neither does what lies in a folder that is relative to the project.
  await using project = await tmpProject({
    files: { [`new/${name}`]: "", "folder/node/file": "", [`text/${name}`]: "" },
  });
  const command = project.path(`new/${name}`);
  await chmod(command, 0o755);
  const path = ["new", project.path("folder"), project.path("text"), project.path("new")].join(delimiter);
  expect(await findRuntime(project.dir, path)).toEqual({ command, env: {} });
  expect(await findRuntime(project.dir, project.path("none"))).toMatchObject({ env: { BUN_BE_BUN: "1" } });
});

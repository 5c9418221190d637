// The processes that OpenCode's terminal starts: what they print, what they are given, and how they end.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, readdirSync } from "node:fs";
import { delimiter } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import type { TerminalApi } from "@atomic/workflows/internal/view/terminal-api";
import { continueRun, startRun } from "../../src/opencode/start-run.ts";
import { build } from "../program.ts";
import { projectWith } from "../runs/begun.ts";

setDefaultTimeout(60_000);
beforeAll(build);

const api = { client: {} } as TerminalApi;
const say = `(graph) => graph.start(toolNode({ id: "say", run: ({ input }) => \`said \${input}\` }))`;

test("a workflow that prints very much while it is loaded starts one run", async () => {
  const chatty = `(console.log("x\\n".repeat(2_000_000)), console.error("y".repeat(3_000_000)), { name: "chatty" }), ${say}`;
  await using project = await projectWith({ chatty });
  const runId = await startRun(api, project.dir, ["chatty", "hello"]);
  expect(readdirSync(project.path(".atomic/runs")).filter((name) => !name.startsWith("."))).toEqual([runId]);
});

test("arguments that are too long for a program are refused in a sentence", async () => {
  await using project = await projectWith({ echo: `{ name: "echo" }, ${say}` });
  await expect(startRun(api, project.dir, ["echo", "x".repeat(3_000_000)])).rejects.toThrow(
    "This is too long to pass to another program",
  );
});

const isWindows = process.platform === "win32";
if (isWindows) console.warn("skipped: how a run's process ends, as these programs are shell scripts");

test.skipIf(isWindows)("a process that ends without a word is reported", async () => {
  const node = '#!/bin/sh\n[ "$1" = --version ] && echo v22.1.0 && exit\necho from the workflow\nexit 3\n';
  await using project = await tmpProject({ files: { "dying/node": node } });
  chmodSync(project.path("dying/node"), 0o755);
  const path = process.env.PATH;
  process.env.PATH = [project.path("dying"), path].join(delimiter);
  try {
    const problem = await new Promise((refused) => void continueRun(api, project.dir, "calm-otter", refused));
    expect(problem).toBe("calm-otter does not continue: atomic exited with code 3");
    await expect(startRun(api, project.dir, ["ship"])).rejects.toThrow(
      "atomic exited with code 3 before the run started",
    );
  } finally {
    process.env.PATH = path;
  }
});

// An answer that cannot be written down: said once, with what to do, and not asked for again.
import { expect, test } from "bun:test";
import { DurableError } from "@atomic/durable-files/errors";
import { tmpProject } from "@atomic/testing/project";
import { waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import { attendRun } from "../../src/live/attend-run.ts";
import { runsOf } from "../../src/runs/runs-folder.ts";
import { contextIn } from "../atomic.ts";
import { begin, newGraph } from "../runs/begun.ts";

test("an answer that cannot be written ends the asking, with the reason and what to do", async () => {
  await using project = await tmpProject({ git: false });
  await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Publish?" })));
  const { context, written } = contextIn(project, { columns: 60, typed: ["yes", "yes", "yes"] });
  const runs = await runsOf(context, undefined);
  // Tests may run as root, who can write everywhere.
  const lock = project.path(".atomic/runs/calm-otter/inbox.jsonl.lock");
  const signal = async (): Promise<never> => {
    throw new DurableError("io", {
      message: `The lock ${lock} cannot be acquired: EACCES: permission denied, mkdir '${lock}'`,
      at: lock,
      hint: "Check that the folder is writable.",
    });
  };
  const engine = readOnly(runs.engine, signal);
  const status = await attendRun(context, { ...runs, engine }, "calm-otter", "answered");
  expect(status.kind).toBe("pending");
  const printed = written.map(([, text]) => text).join("");
  expect(printed.match(/yes or no:/g)).toHaveLength(1);
  expect(printed.match(/cannot be acquired/g)).toHaveLength(1);
  expect(printed.replaceAll(/\s+/g, " ")).toContain("Check that the folder is writable.");
  expect(printed).not.toContain("You can also answer it");
  for (const line of printed.split("\n")) if (!line.includes("/")) expect(line.length).toBeLessThanOrEqual(60);
});

function readOnly(engine: LocalEngine, signal: LocalEngine["signal"]): LocalEngine {
  return new Proxy(engine, {
    get: (target, name) => {
      const member: unknown = name === "signal" ? signal : Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

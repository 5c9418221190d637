import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareOurs } from "../run-steps/peers.ts";

const ours = prepareOurs();

describe.each([["node"], [process.execPath]])("on %s", (runtime) => {
  const jobs = [
    ["growth.mjs", "steps", "3", "3"],
    ["growth.mjs", "resume", "3"],
    ["import.mjs", "atomic"],
    ["job.mjs", "atomic memory", "10", "."],
    ["job.mjs", "atomic turn", "10", "."],
    ["job.mjs", "atomic step", "10", "."],
    ["job.mjs", "atomic fan", "100", "."],
  ] as const;

  test.each(jobs.map((job) => ({ job })))("$job finds all it needs in the published package", async ({ job }) => {
    const [program, ...rest] = job;
    const cwd = await mkdtemp(join(tmpdir(), "bench-run-steps-"));
    try {
      const { exitCode, stderr } = Bun.spawnSync([runtime, join(ours, program), ...rest], { cwd });
      expect({ exitCode, stderr: String(stderr) }).toEqual({ exitCode: 0, stderr: "" });
    } finally {
      await rm(cwd, { recursive: true });
    }
  });
});

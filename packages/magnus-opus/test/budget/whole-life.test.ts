import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { tmpProject } from "@atomic/testing/project";

test("the plugin adds no handlers to OpenCode's process, and leaves no timers in it", async () => {
  await using project = await tmpProject();
  const program = fileURLToPath(import.meta.resolve("./whole-life.ts"));
  const { code, stdout, stderr } = await project.run([process.execPath, program], { timeout: 60_000 });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { before, after, said } = JSON.parse(stdout) as { before: object; after: object; said: number };
  expect(after).toEqual(before);
  expect(said).toBe(2); // the hooks were at work
}, 120_000);

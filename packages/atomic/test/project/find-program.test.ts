import { expect, test } from "bun:test";
import { chmodSync, symlinkSync } from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { findProgram } from "../../src/find-program.ts";

test("a folder on the PATH that cannot be read is passed over", async () => {
  await using project = await tmpProject({ git: false, files: { "bin/opencode": "#!/bin/sh\n" } });
  chmodSync(project.path("bin/opencode"), 0o755);
  symlinkSync("loop", project.path("loop"));
  const env = { PATH: `${project.path("loop")}:${project.path("bin/opencode")}:${project.path("bin")}` };
  expect(findProgram("opencode", { env })).toBe(project.path("bin/opencode"));
  expect(findProgram("claude", { env })).toBeUndefined();
});

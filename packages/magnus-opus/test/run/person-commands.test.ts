import { afterEach, expect, test } from "bun:test";
import { delimiter } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { isOnPath } from "../../src/on-path.ts";
import { decide } from "../../src/run/decide.ts";
import { offerCommands } from "../../src/run/person-commands.ts";
import { refusalText } from "../../src/run/refusal.ts";
import { started } from "./simulated-run.ts";

afterEach(() => offerCommands({ commands: "shell", update: "hugo update magnus-opus" }));

test.each([true, false])("a refusal names the program in a shell only if it is there: %p", (isThere) => {
  offerCommands({ commands: isThere ? "shell" : "opencode" });
  const state = started();
  const call = { tool: "write", args: { filePath: "src/a.ts" }, session: "ses_1", agent: "developer", at: 0 };
  const decision = decide(state, { ...call, isChild: true, depth: 1 });
  if (decision.do === "allow") throw new Error("allowed");
  const text = refusalText(state, "write", decision);
  expect(text).toContain("`/approve`");
  expect(text.includes("magnus-opus approve")).toBe(isThere);
});

test("a program is on the PATH if one of its folders has it", async () => {
  await using project = await tmpProject({ git: false, files: { "bin ü/magnus-opus": "" } });
  const path = ["", project.path("none"), project.path("bin ü")].join(delimiter);
  expect([isOnPath("magnus-opus", path), isOnPath("magnus", path), isOnPath("magnus-opus")]).toEqual([
    true,
    false,
    false,
  ]);
});

import { describe, expect, test } from "bun:test";
import { workflowNameOf } from "../../src/packages/workflow-name.ts";
import { refusal } from "../refusal.ts";

describe("the name of a workflow", () => {
  test.each([
    ["@org/code-review", "code-review"],
    ["code-review", "code-review"],
    ["@org/my-workflow-plugin", "my-workflow-plugin"],
    ["@o/a.b_c", "a.b_c"],
    ["7zip", "7zip"],
  ])("of %s is %s", (packageName, name) => {
    expect(workflowNameOf(packageName)).toBe(name);
  });

  test.each([
    "constructor",
    "@org/constructor",
    "tostring/",
    "con",
    "@org/nul.md",
    "",
    "@org/",
    "a~b",
    "-a",
    "a".repeat(65),
    "x.",
  ])("of %j does not exist", (packageName) => {
    const error = refusal(() => workflowNameOf(packageName));
    expect(error.code).toBe("name-invalid");
    expect(error.message).toStartWith("The package cannot be used as a workflow: the name ");
    expect(error.hint).toContain("author");
  });

  test("is shown without anything a terminal would obey", () => {
    expect(refusal(() => workflowNameOf("\u001b[2J")).message).toContain("\\u001b[2J");
  });
});

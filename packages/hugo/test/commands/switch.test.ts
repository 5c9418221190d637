import { describe, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { switchTo } from "../../src/commands/switch.ts";
import { contents, contextOf, copiedWorkflow, input, install, pluginWorkflow } from "./workspace.ts";

const page = { colour: false } as const;
const config = { $schema: "x", plugin: ["@org/review@1.0.0", "mine", "@org/debug@1.0.0"] };
const files = { "agents/linter.md": "lint\n" };
const workflows = {
  review: pluginWorkflow("review"),
  debug: pluginWorkflow("debug"),
  lint: copiedWorkflow("lint", files),
};

describe("switch", () => {
  test("enables exactly the named ones and disables all others, of both deliveries", async () => {
    await using project = await tmpProject({ files: { "opencode.json": config } });
    await install(project, workflows, files);
    const result = await switchTo.run(contextOf(project), { ...input, name: ["debug"] });
    expect(switchTo.report.text(result, page)).toBe(
      "Disabled lint v2.1.0 (1 file parked in .opencode/hugo-disabled/lint)\n" +
        "Disabled review v1.0.0 (in opencode.json)\n" +
        "debug is already enabled.\n",
    );
    expect(await project.json("opencode.json")).toEqual({ $schema: "x", plugin: ["mine", "@org/debug@1.0.0"] });

    await switchTo.run(contextOf(project), { ...input, name: ["lint", "review"] });
    expect(await project.json("opencode.json")).toEqual({ $schema: "x", plugin: ["@org/review@1.0.0", "mine"] });
    expect(await project.read(".opencode/agents/linter.md")).toBe("lint\n");
    expect(await project.exists(".opencode/hugo-disabled")).toBe(false);
  });

  test("lets one workflow replace another that has the same file", async () => {
    const [a, b] = [{ "agents/one.md": "a's\n" }, { "agents/one.md": "b's\n" }];
    const parked = copiedWorkflow("b", b);
    if (parked.delivery.kind !== "copy") throw new Error("It is a copy.");
    await using project = await tmpProject({ files: { ".opencode/hugo-disabled/b/agents/one.md": "b's\n" } });
    const delivery = { ...parked.delivery, parked: true };
    await install(project, { a: copiedWorkflow("a", a), b: { ...parked, delivery } }, a);
    await switchTo.run(contextOf(project), { ...input, name: ["b"] });
    expect(await project.read(".opencode/agents/one.md")).toBe("b's\n");
    await switchTo.run(contextOf(project), { ...input, name: ["a"] });
    expect(await project.read(".opencode/agents/one.md")).toBe("a's\n");
    expect(await project.tree(".opencode/hugo-disabled")).toEqual(["b/agents/one.md"]);
  });

  test("changes nothing if one of the names is wrong", async () => {
    await using project = await tmpProject({ files: { "opencode.json": config } });
    await install(project, workflows, files);
    const before = await contents(project);
    const run = switchTo.run(contextOf(project), { ...input, name: ["debug", "lnit"] });
    await expect(run).rejects.toThrow('Workflow not found: "lnit" (did you mean "lint"?)');
    expect(await contents(project)).toEqual(before);
  });

  test("as a dry run writes nothing", async () => {
    await using project = await tmpProject({ files: { "opencode.json": config } });
    await install(project, workflows, files);
    const before = await contents(project);
    const { workflows: shown } = await switchTo.run(contextOf(project), { ...input, dryRun: true, name: ["lint"] });
    expect(shown.map(({ name, change }) => `${name} ${change}`)).toEqual([
      "debug disabled",
      "review disabled",
      "lint already-enabled",
    ]);
    expect(await contents(project)).toEqual(before);
  });
});

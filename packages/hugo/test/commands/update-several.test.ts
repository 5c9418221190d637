import { expect, test } from "bun:test";
import { formatAnswer } from "@atomic/terminal/json";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { undo } from "../../src/commands/undo.ts";
import { update as updateCommand } from "../../src/commands/update.ts";
import { copy, hugoIn } from "./hugo-project.ts";
import { contents } from "./workspace.ts";

const names = ["@org/a", "@org/b", "@org/c"];
const command = (name: string, text: string) => ({ [`commands/${name.slice(-1)}.md`]: `${text}\n` });

test("updating several is one change: one that fails is left out, and one undo reverts the rest", async () => {
  await using registry = await npmRegistry();
  registry.publish(...names.map((name) => copy("1.0.0", command(name, "One."), name)));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install(names);
  const before = await contents(project);
  for (const name of ["@org/a", "@org/c"]) registry.publish(copy("1.1.0", command(name, "Two."), name));
  registry.publish(copy("1.1.0", { "commands/b.md": "---\ndescription: [\n---\nBroken.\n" }, "@org/b"));

  const result = await hugo.update();
  const { updated, failed } = result;
  const document = JSON.parse(formatAnswer(result, updateCommand.report));
  expect(document).toMatchObject({ ok: false, failed: [{ name: "b" }] });
  const { code, at, hint, message } = failed[0]!;
  expect(document.error).toEqual({ code, message: `b was not updated: ${message}`, at, hint });
  expect([updated.map(({ name }) => name), failed.map(({ name }) => name)]).toEqual([["a", "c"], ["b"]]);
  expect(await project.read(".opencode/commands/a.md")).toBe("Two.\n");
  expect(await project.read(".opencode/commands/b.md")).toBe("One.\n");

  const { title } = await undo.run(hugo.context, { global: false, dryRun: false, yes: false });
  expect(title).toBe("update a v1.1.0, c v1.1.0");
  expect(await contents(project)).toEqual(before);
});

test.each(["declined", "nobody"] as const)(
  "an update that is not approved does not say that nothing changed if others were updated: %s",
  async (answer) => {
    await using registry = await npmRegistry();
    registry.publish(...names.map((name) => copy("1.0.0", command(name, "One."), name)));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    await hugo.install(names);
    registry.publish(copy("1.1.0", command("@org/a", "Two."), "@org/a"));
    // One that can do more, and one that cannot be installed.
    registry.publish(copy("1.1.0", command("@org/b", "!`env`"), "@org/b"));
    registry.publish(copy("1.1.0", { "commands/x.md": "x\n", "commands/X.md": "X\n" }, "@org/c"));
    hugo.answer = answer;

    const alone = await hugo.update(["b"]);
    expect(alone.failed[0]?.hint).toEndWith("Nothing was changed.");

    const planned = await hugo.update([], { dryRun: true });
    expect(planned.failed[0]?.hint).toContain("Nothing was installed.");

    const result = await hugo.update();
    expect([result.updated.map(({ name }) => name), result.failed.map(({ name }) => name)]).toEqual([
      ["a"],
      ["b", "c"],
    ]);
    const { report } = updateCommand;
    const text = report.text(result, { colour: false }) + report.notes(result, { colour: false });
    for (const said of [text, formatAnswer(result, report)]) {
      expect(said).not.toMatch(/nothing was/i);
      expect(said).toContain("b was not changed.");
      expect(said).toContain("c was not changed.");
    }
  },
);

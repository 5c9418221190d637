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

import { expect, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { formatApproval } from "../../../src/commands/shared/capabilities.ts";
import { failureOf } from "../../../src/commands/shared/notes.ts";
import { update as updateCommand } from "../../../src/commands/update.ts";
import { HugoError } from "../../../src/errors.ts";
import { placeFor } from "../../../src/workspace/place.ts";
import { agent, copy, hugoIn } from "../hugo-project.ts";

const plain = { colour: false } as const;
const title = "What it can do now that it could not do before:\n";

async function widening() {
  const registry = await npmRegistry();
  registry.publish(copy("1.0.0", { "agents/a.md": agent("Hi.") }));
  const project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install("@org/notes");
  registry.publish(copy("1.1.0", { "agents/a.md": agent("Hi."), "commands/run.md": "Look at !`make all`.\n" }));
  return {
    hugo,
    async [Symbol.asyncDispose]() {
      await project[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
    },
  };
}

test("changes the user just approved are not shown to them again, but are shown to everyone else", async () => {
  await using updated = await widening();
  const text = async (more: { yes?: boolean; dryRun?: boolean }): Promise<string> =>
    updateCommand.report.text(await updated.hugo.update([], { allowNew: true, ...more }), plain);
  expect(await text({ dryRun: true })).toContain(title);
  expect(await text({ dryRun: true, yes: true })).toContain(title);
  expect(await text({})).toBe("Updated notes: v1.0.0 → v1.1.0\n  Added:        commands/run.md\n");

  await using again = await widening();
  const unseen = await again.hugo.update([], { allowNew: true, yes: true });
  expect(updateCommand.report.text(unseen, plain)).toContain(title);
});

test("many up-to-date workflows are only counted", () => {
  const current = ["a", "b", "c", "d"].map((name) => ({ name, version: "1.0.0" }));
  const place = placeFor({ cwd: "/p", home: "/home/me", env: {} }, { global: false });
  const places = { folder: ".opencode", typedFolder: ".opencode", place };
  const result = {
    updated: [],
    failed: [],
    dryRun: false,
    isUnseen: false,
    isDetailed: false,
    notices: [],
    shown: [],
    ...places,
  };
  const few = updateCommand.report.text({ ...result, current: current.slice(1) }, plain);
  expect(few).toBe("b v1.0.0 is up to date.\nc v1.0.0 is up to date.\nd v1.0.0 is up to date.\n");
  expect(updateCommand.report.text({ ...result, current }, plain)).toBe("All 4 workflows are up to date.\n");
  const failure = failureOf("e", new HugoError("network-failed", { message: "m", hint: "h" }));
  const some = updateCommand.report.text({ ...result, current, failed: [failure] }, plain);
  expect(some).toBe("The other 4 workflows are up to date.\n");
  // One sentence says that nothing was changed.
  const notes = (dryRun: boolean) =>
    updateCommand.report.notes({ ...result, current, failed: [failure], dryRun }, plain);
  expect(notes(false)).toBe("e was not updated: m\n  h\nNothing was changed.\n");
  expect(notes(true)).toBe("e was not updated: m\n  h\nDry run: nothing was written.\n");
});

test("changes the user just declined are not shown again", async () => {
  await using updated = await widening();
  const { hugo } = updated;
  hugo.answer = "declined";
  const declined = await hugo.update([], { allowNew: true });
  expect(updateCommand.report.text(declined, plain)).toBe("");
  expect(updateCommand.report.notes(declined, plain)).toBe(
    "notes was not updated: the update was declined. Nothing was changed.\n",
  );
  expect(updateCommand.report.json(declined)).toMatchObject({
    failed: [{ name: "notes", code: "declined", answer: "declined", capabilities: [{ detail: "make all" }] }],
  });

  hugo.answer = "nobody";
  const unanswered = updateCommand.report.notes(await hugo.update([], { allowNew: true }), plain);
  expect(formatApproval(hugo.shown[0]!, plain)).toEndWith(`${title}  shell        make all (commands/run.md)\n`);
  expect(unanswered).toEndWith("then run the command again with --yes. Nothing was changed.\n");
});

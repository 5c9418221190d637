import { describe, expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { gitRepo } from "@atomic/testing/git";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { disable } from "../../src/commands/disable.ts";
import { enable } from "../../src/commands/enable.ts";
import { update as updateCommand } from "../../src/commands/update.ts";
import { agent, copy, type Hugo, hugoIn, pinIn, plugin, refusalOf } from "./hugo-project.ts";
import { contents } from "./workspace.ts";

const plain = { colour: false } as const;
const text = (lines: readonly string[]): string => agent(lines.join("\n\n"));
const first = { "agents/writer.md": text(["One.", "Two.", "Three."]), "commands/note.md": "Note it.\n" };
const second = { "agents/writer.md": text(["One!", "Two.", "Three."]), "commands/list.md": "List them.\n" };

interface InstalledProject extends AsyncDisposable {
  readonly registry: NpmRegistry;
  readonly project: Project;
  readonly hugo: Hugo;
}

/** Installed in its first version, with the second one published since. */
async function installedProject(spec = "@org/notes"): Promise<InstalledProject> {
  const registry = await npmRegistry();
  registry.publish(plugin("1.0.0"), copy("1.0.0", first));
  const project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install(spec);
  registry.publish(plugin("1.1.0"), copy("1.1.0", second));
  return {
    registry,
    project,
    hugo,
    async [Symbol.asyncDispose]() {
      await project[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
    },
  };
}

describe("an update of a plugin", () => {
  test("moves the pin, and does not ask if it can do no more than before", async () => {
    await using at = await installedProject("@org/review");
    const before = await at.project.read("opencode.json");
    const was = await pinIn(at.project);
    const result = await at.hugo.update();
    const is = await pinIn(at.project);
    expect(is).not.toBe(was);
    expect(await at.project.read("opencode.json")).toBe(before.replace(was, is));
    expect(at.hugo.asked.length).toBe(1);
    expect(updateCommand.report.text(result, plain)).toBe(
      "Updated review: v1.0.0 → v1.1.0\n  @org/review in opencode.json\n",
    );
  });

  test("updates the record of a disabled one, so enabling installs the new version", async () => {
    await using at = await installedProject("@org/review");
    const input = { global: false, dryRun: false, yes: false, name: ["review"], all: false };
    await disable.run(at.hugo.context, input);
    const result = await at.hugo.update();
    expect(result.updated).toMatchObject([{ name: "review", isEnabled: false, entries: [] }]);
    await enable.run(at.hugo.context, input);
    expect(await at.project.json("opencode.json")).toMatchObject({ plugin: [await pinIn(at.project)] });
  });

  test("stays within the range that was asked for", async () => {
    await using at = await installedProject("@org/review@~1.0.0");
    const result = await at.hugo.update();
    expect(result).toMatchObject({ updated: [], current: [{ name: "review", version: "1.0.0" }] });
    expect(updateCommand.report.text(result, plain)).toBe("review v1.0.0 is up to date.\n");
    at.registry.publish(plugin("1.0.1"));
    expect((await at.hugo.update()).updated).toMatchObject([{ from: "1.0.0", to: "1.0.1" }]);
  });

  test("never leads back to an older version", async () => {
    await using at = await installedProject("@org/review");
    await at.hugo.update();
    at.registry.tag("@org/review", "latest", "1.0.0");
    expect((await at.hugo.update()).current).toEqual([{ name: "review", version: "1.1.0" }]);
  });

  test("waits for a version that was just published, and says so", async () => {
    await using at = await installedProject("@org/review@1.0.0");
    await at.hugo.install("@org/review@^1.0.0", { force: true });
    at.registry.publish({ ...plugin("1.2.0"), time: new Date().toISOString() });
    const waiting = await at.hugo.update();
    expect(waiting.current).toEqual([{ name: "review", version: "1.1.0" }]);
    expect(updateCommand.report.notes(waiting, plain)).toContain("Hugo chose @org/review 1.1.0 over 1.2.0");
    const taken = await at.hugo.update([], { allowNew: true });
    expect(taken.updated).toMatchObject([{ to: "1.2.0" }]);
    expect((await at.hugo.update()).current).toEqual([{ name: "review", version: "1.2.0" }]);
  });

  test("is not a failure if everything is too new", async () => {
    await using registry = await npmRegistry();
    registry.publish({ ...plugin("1.0.0"), time: new Date().toISOString() });
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    expect((await refusalOf(hugo.install("@org/review"))).code).toBe("release-too-new");
    await hugo.install("@org/review", { allowNew: true });
    const result = await hugo.update();
    expect(result).toMatchObject({ failed: [], current: [{ name: "review" }] });
    expect(updateCommand.report.notes(result, plain)).toContain("--allow-new");
  });

  test("refuses a version whose content has changed under the same number", async () => {
    await using at = await installedProject("@org/review@1.0.0");
    at.registry.unpublish("@org/review", "1.0.0");
    at.registry.publish(plugin("1.0.0", { "index.js": "export default async () => ({ event: async () => {} });\n" }));
    const result = await at.hugo.update();
    expect(result.failed).toMatchObject([{ name: "review", code: "integrity-mismatch" }]);
    expect(updateCommand.report.exitCode(result)).toBe(3);
  });
});

describe("an update that can do more", () => {
  const wider = plugin("1.2.0", { "scripts/look.sh": "#!/bin/sh\ncurl example.invalid\n" });

  test("shows exactly the difference and continues when the user approves", async () => {
    await using at = await installedProject("@org/review");
    at.registry.publish(wider);
    const result = await at.hugo.update();
    const [, request] = at.hugo.asked;
    expect(request?.title).toBe("Update review v1.0.0 → v1.2.0, which can do more than before");
    expect(request?.capabilities).toEqual(result.updated[0]?.widened ?? []);
    expect(request?.capabilities.map(({ subject }) => subject)).toContain("scripts/look.sh");
    expect(request?.capabilities.some(({ kind }) => kind === "plugin-code")).toBe(false);
  });

  test.each(["declined", "nobody"] as const)(
    "changes nothing if the answer is %s, and others go through",
    async (answer) => {
      await using at = await installedProject("@org/review");
      await at.hugo.install("@org/notes@1.0.0");
      await at.hugo.install("@org/notes", { force: true });
      at.registry.publish(wider, copy("1.2.0", { ...second, "commands/list.md": "List all.\n" }));
      at.hugo.answer = answer;
      const config = await at.project.read("opencode.json");
      const result = await at.hugo.update();
      expect(await at.project.read("opencode.json")).toBe(config);
      expect(result.updated.map(({ name }) => name)).toEqual(["notes"]);
      expect(result.failed).toMatchObject([
        { name: "review", code: answer === "declined" ? "declined" : "not-approved" },
      ]);
      expect(updateCommand.report.exitCode(result)).toBe(answer === "declined" ? 1 : 4);
      const notes = updateCommand.report.notes(result, plain);
      expect(notes).toContain("review was not updated:");
      const reports = at.hugo.shown.map(({ capabilities }) => capabilities.map(({ subject }) => subject));
      expect(reports).toEqual(answer === "nobody" ? [["scripts/look.sh", "scripts/look.sh"]] : []);
      expect(notes).not.toContain("runs inside OpenCode");
    },
  );

  test("works with --yes and shows what is new", async () => {
    await using at = await installedProject("@org/review");
    at.registry.publish(wider);
    at.hugo.answer = "nobody";
    const result = await at.hugo.update(["review"], { yes: true });
    expect(updateCommand.report.text(result, plain)).toContain("What it can do now that it could not do before:");
  });

  test("asks about everything if what it could do before is unknown", async () => {
    await using at = await installedProject("@org/review");
    await at.project.remove(".opencode/.hugo");
    at.registry.unpublish("@org/review", "1.0.0");
    const result = await at.hugo.update();
    const [, request] = at.hugo.asked;
    expect(request?.capabilities.map(({ kind }) => kind)).toContain("plugin-code");
    expect(request?.title).toBe("Update review v1.0.0 → v1.1.0, which cannot be compared with the installed version");
    expect(request?.notes).toContain(
      "review: Hugo cannot compare it with v1.0.0, which is neither in its store nor available any more.",
    );
    const unseen = updateCommand.report.text({ ...result, isUnseen: true }, plain);
    expect(unseen).toContain("What it can do:\n");
  });

  test("is measured by the real old version after a clone, fetched again", async () => {
    await using at = await installedProject("@org/review");
    await at.project.remove(".opencode/.hugo");
    await at.hugo.update();
    expect(at.hugo.asked.length).toBe(1);
  });

  test("is not compared with a store that was changed", async () => {
    await using at = await installedProject("@org/review");
    at.registry.publish(wider);
    const [stored = ""] = (await at.project.tree(".opencode/.hugo/store")).filter((path) => path.startsWith("review-"));
    const folder = `.opencode/.hugo/store/${stored.split("/")[0]}/node_modules/@org/review`;
    for (const [path, content] of Object.entries(wider.files ?? {}))
      await at.project.write(`${folder}/${path}`, content);
    await at.hugo.update();
    expect(at.hugo.asked.length).toBe(2);
  });
});

describe("an update of a copy", () => {
  test("updates, adds and removes files, as the report says", async () => {
    await using at = await installedProject();
    const result = await at.hugo.update(["notes"]);
    expect(updateCommand.report.text(result, plain)).toBe(
      [
        "Updated notes: v1.0.0 → v1.1.0",
        "  Updated:      agents/writer.md",
        "  Added:        commands/list.md",
        "  Removed:      commands/note.md",
        "",
      ].join("\n"),
    );
    expect(await at.project.read(".opencode/agents/writer.md")).toBe(second["agents/writer.md"]);
    expect(await at.project.exists(".opencode/commands/note.md")).toBe(false);
  });

  test("merges with local edits", async () => {
    await using at = await installedProject();
    await at.project.write(".opencode/agents/writer.md", text(["One.", "Two.", "Mine."]));
    const result = await at.hugo.update();
    expect(await at.project.read(".opencode/agents/writer.md")).toBe(text(["One!", "Two.", "Mine."]));
    expect(updateCommand.report.text(result, plain)).toContain("  Merged:       agents/writer.md (with your edits)\n");
  });

  test("merges after a clone as well, since the old version can be fetched again", async () => {
    await using at = await installedProject();
    await at.project.write(".opencode/agents/writer.md", text(["One.", "Two.", "Mine."]));
    await at.project.remove(".opencode/.hugo");
    await at.hugo.update();
    expect(await at.project.read(".opencode/agents/writer.md")).toBe(text(["One!", "Two.", "Mine."]));
  });

  test("puts a conflicting version next to the file, with the commands to resolve it", async () => {
    await using at = await installedProject();
    const mine = text(["Mine.", "Two.", "Three."]);
    await at.project.write(".opencode/agents/writer.md", mine);
    const result = await at.hugo.update();
    expect(await at.project.read(".opencode/agents/writer.md")).toBe(mine);
    expect(await at.project.read(".opencode/agents/writer.md.hugo-new")).toBe(second["agents/writer.md"]);
    const notes = updateCommand.report.notes(result, plain);
    const [take = ""] = /mv .*/.exec(notes) ?? [];
    await at.project.run(["sh", "-c", take]);
    expect(await at.project.read(".opencode/agents/writer.md")).toBe(second["agents/writer.md"]);
    at.registry.publish(copy("1.2.0", { "agents/writer.md": text(["One!", "Two!", "Three."]) }));
    expect((await at.hugo.update()).updated[0]?.files[0]).toEqual({
      verdict: "updated",
      destination: "agents/writer.md",
    });
  });

  test("offers commands that work in the folder in which the update ran, also with blanks in it", async () => {
    await using at = await installedProject();
    await at.project.write(".opencode/agents/writer.md", text(["Mine.", "Two.", "Three."]));
    await at.project.write("my docs/deep/readme.txt", "");
    const cwd = at.project.path("my docs/deep");
    const notes = updateCommand.report.notes(await hugoIn(at.project, cwd).update(), plain);
    const [take = ""] = /mv .*/.exec(notes) ?? [];
    expect(await at.project.run(["sh", "-c", `cd 'my docs/deep' && ${take}`])).toMatchObject({ code: 0 });
    expect(await at.project.read(".opencode/agents/writer.md")).toBe(second["agents/writer.md"]);
  });

  test("skips edited files on request, and keeps deleted files deleted", async () => {
    await using at = await installedProject();
    await at.project.write(".opencode/agents/writer.md", text(["One.", "Two.", "Mine."]));
    await at.project.remove(".opencode/commands/note.md");
    at.registry.publish(copy("1.2.0", { ...second, "commands/note.md": "Note it well.\n" }));
    const result = await at.hugo.update([], { skipModified: true });
    expect(updateCommand.report.text(result, plain)).toContain("  Skipped:      agents/writer.md (locally modified)\n");
    expect(updateCommand.report.text(result, plain)).toContain("  Kept deleted: commands/note.md\n");
    expect(await at.project.read(".opencode/agents/writer.md")).toBe(text(["One.", "Two.", "Mine."]));
  });

  test("of a disabled one merges the parked files", async () => {
    await using at = await installedProject();
    await at.project.write(".opencode/agents/writer.md", text(["One.", "Two.", "Mine."]));
    const input = { global: false, dryRun: false, yes: false, name: ["notes"], all: false };
    await disable.run(at.hugo.context, input);
    await at.hugo.update();
    expect(await at.project.exists(".opencode/agents/writer.md")).toBe(false);
    await enable.run(at.hugo.context, input);
    expect(await at.project.read(".opencode/agents/writer.md")).toBe(text(["One!", "Two.", "Mine."]));
    expect(await at.project.read(".opencode/commands/list.md")).toBe("List them.\n");
  });

  test("of a disabled one leads to the parked files when they contradict it", async () => {
    await using at = await installedProject();
    await at.project.write(".opencode/agents/writer.md", text(["Mine.", "Two.", "Three."]));
    const input = { global: false, dryRun: false, yes: false, name: ["notes"], all: false };
    await disable.run(at.hugo.context, input);
    const [take = ""] = /mv .*/.exec(updateCommand.report.notes(await at.hugo.update(), plain)) ?? [];
    expect(await at.project.run(["sh", "-c", take])).toMatchObject({ code: 0 });
    await enable.run(at.hugo.context, input);
    expect(await at.project.read(".opencode/agents/writer.md")).toBe(second["agents/writer.md"]);
  });

  test("is only reported in a dry run", async () => {
    await using at = await installedProject();
    const before = await contents(at.project);
    const result = await at.hugo.update([], { dryRun: true });
    expect(updateCommand.report.text(result, plain)).toStartWith(
      "Would update notes: v1.0.0 → v1.1.0\n  Updated:      agents/writer.md\n",
    );
    expect(await contents(at.project)).toEqual(before);
  });
});

test("a branch that moved is followed, and one that did not is not even fetched", async () => {
  await using repo = await gitRepo({ files: first, name: "notes" });
  await using project = await tmpProject();
  const hugo = hugoIn(project);
  await hugo.install(`${repo.packageUrl}#main`);
  expect((await hugo.update()).current.length).toBe(1);
  const commit = await repo.commit({ files: second, message: "second" });
  const result = await hugo.update();
  expect(result.updated).toMatchObject([{ name: "notes", to: commit }]);
  expect(updateCommand.report.text(result, plain)).toContain(`→ ${commit.slice(0, 10)}\n`);
});

test("a failed update does not hide the others, and JSON reports all of them", async () => {
  await using at = await installedProject("@org/review");
  await at.hugo.install("@org/notes@^1.0.0", { force: true });
  at.registry.publish(copy("1.2.0", second));
  at.registry.unpublish("@org/review");
  const result = await at.hugo.update();
  expect(result.updated.map(({ name }) => name)).toEqual(["notes"]);
  expect(result.failed).toMatchObject([{ name: "review", code: "package-not-found" }]);
  expect(JSON.parse(JSON.stringify(updateCommand.report.json(result)))).toMatchObject({
    dryRun: false,
    updated: [{ to: "1.2.0" }],
  });
  expect(updateCommand.report.exitCode(result)).toBe(1);
});

test("a name that is not installed is refused with what was meant", async () => {
  await using at = await installedProject();
  const error = await refusalOf(at.hugo.update(["nots"]));
  expect(error.code).toBe("not-installed");
  expect(error.message).toContain("notes");
});

test("nothing installed is nothing to do", async () => {
  await using project = await tmpProject();
  const result = await hugoIn(project).update();
  expect(updateCommand.report.text(result, plain)).toBe(
    "No workflows are installed. `hugo install <package>` installs one.\n",
  );
  expect(await project.exists(".opencode")).toBe(false);
});

test("a version that was published again with other bytes needs its own approval, and the hints show the new bytes", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install("@org/review");
  registry.unpublish("@org/review", "1.0.0");
  registry.publish(plugin("1.0.0", { "more.js": "fetch('https://x.example');\n" }));
  const [failed] = (await hugo.update()).failed;
  expect(failed?.hint).toBe(
    "Review it first (`hugo info @org/review@1.0.0`). To install it anyway: `hugo install --force @org/review`.",
  );
  const before = await project.read(".opencode/hugo.json");
  hugo.answer = "nobody";
  const refused = await refusalOf(hugo.install("@org/review", { force: true, yes: true }));
  expect(refused.code).toBe("not-approved");
  const [, hash] =
    /Review the package with `hugo info @org\/review@1\.0\.0`, then .* with --yes=(\S+)\. /.exec(refused.hint) ?? [];
  expect(hugo.asked.at(-1)?.notes).toContainEqual(
    expect.stringMatching(
      /^Its content has changed since it was installed, though its version has not: it was sha256:/,
    ),
  );
  expect(await project.read(".opencode/hugo.json")).toBe(before);
  const { notices } = await hugo.install("@org/review", { force: true, yes: hash ?? "" });
  expect(notices[0]).toContain("Its content has changed");
  expect(await project.read(".opencode/hugo.json")).not.toBe(before);
});

test("a config that leads out of the project is refused before anything is asked", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"), plugin("1.1.0", { "more.js": "fetch('https://x.example');\n" }));
  await using project = await tmpProject({ registry, files: { "~/mine/opencode.json": "{}\n" } });
  await symlink(project.path("~/mine/opencode.json"), project.path("opencode.json"));
  const hugo = hugoIn(project);
  expect((await refusalOf(hugo.install("@org/review@1.0.0"))).code).toBe("place-unsafe");
  expect(hugo.asked).toEqual([]);
});

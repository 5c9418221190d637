import { describe, expect, test } from "bun:test";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { ci as ciCommand } from "../../src/commands/ci.ts";
import { disable } from "../../src/commands/disable.ts";
import { agent, copy, type Hugo, hugoIn, pinIn, plugin, refusalOf } from "./hugo-project.ts";
import { contents } from "./workspace.ts";

const plain = { colour: false } as const;
const files = {
  "agents/writer.md": agent("One.\n\nTwo.\n\nThree."),
  "commands/note.md": "Note it.\n",
  "skills/diff/SKILL.md": "---\nname: diff\ndescription: d\n---\n",
  "skills/diff/scripts/run.sh": "#!/bin/sh\n",
};

interface ClonedProject extends AsyncDisposable {
  readonly registry: NpmRegistry;
  readonly project: Project;
  readonly hugo: Hugo;
}

/** A fresh clone: what version control has of a project with a plugin and a copy. */
async function clone(): Promise<ClonedProject> {
  const registry = await npmRegistry();
  registry.publish(plugin("1.0.0"), copy("1.0.0", files));
  const project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install(["@org/review", "@org/notes"]);
  await project.remove(".opencode/.hugo");
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

describe("a fresh clone", () => {
  test("gets its packages back, and no file of the project changes", async () => {
    await using at = await clone();
    const before = await contents(at.project);
    const result = await at.hugo.ci();
    expect(ciCommand.report.text(result, plain)).toBe(
      "✓ notes v1.0.0 (package fetched)\n✓ review v1.0.0 (package fetched)\n",
    );
    expect(ciCommand.report.exitCode(result)).toBe(0);
    expect(await contents(at.project)).toEqual(before);
    const again = await at.hugo.ci();
    expect(again.workflows.map(({ isFetched }) => isFetched)).toEqual([false, false]);
  });

  test("does not ask: the content was already approved", async () => {
    await using at = await clone();
    at.hugo.answer = "nobody";
    await at.hugo.ci();
    expect(at.hugo.asked.length).toBe(2);
  });

  test("gets the exact version, whatever has been published since", async () => {
    await using at = await clone();
    at.registry.publish(plugin("2.0.0"), copy("2.0.0", { "commands/other.md": "Other.\n" }));
    const result = await at.hugo.ci();
    expect(result.workflows.map(({ version }) => version)).toEqual(["1.0.0", "1.0.0"]);
  });

  test("gets missing copied files back", async () => {
    await using at = await clone();
    for (const folder of ["agents", "commands", "skills"]) await at.project.remove(`.opencode/${folder}`);
    const result = await at.hugo.ci();
    expect(result.workflows[0]?.files).toEqual(Object.keys(files));
    for (const [path, text] of Object.entries(files)) expect(await at.project.read(`.opencode/${path}`)).toBe(text);
    expect(ciCommand.report.text(result, plain)).toContain("4 files restored");
  });

  test("does not restore what an update left deleted, until it is installed again", async () => {
    await using at = await clone();
    await at.hugo.ci();
    await at.project.remove(".opencode/commands/note.md");
    at.registry.publish(copy("1.1.0", { ...files, "agents/writer.md": agent("Four.") }));
    const { updated } = await at.hugo.update(["notes"]);
    expect(updated[0]?.files).toContainEqual({ verdict: "kept-deleted", destination: "commands/note.md" });
    for (const folder of [".hugo", "agents"]) await at.project.remove(`.opencode/${folder}`);
    const [notes] = (await at.hugo.ci()).workflows;
    expect(notes?.files).toEqual(["agents/writer.md"]);
    expect(await at.project.tree()).not.toContain(".opencode/commands/note.md");

    await at.hugo.install("@org/notes", { force: true });
    await at.project.remove(".opencode/commands/note.md");
    expect((await at.hugo.ci()).workflows[0]?.files).toEqual(["commands/note.md"]);
  });

  test("can merge again afterward", async () => {
    await using at = await clone();
    await at.hugo.ci();
    at.registry.unpublish("@org/notes", "1.0.0");
    at.registry.publish(copy("1.1.0", { ...files, "agents/writer.md": agent("One!\n\nTwo.\n\nThree.") }));
    await at.project.write(".opencode/agents/writer.md", agent("One.\n\nTwo.\n\nMine."));
    await at.hugo.update(["notes"]);
    expect(await at.project.read(".opencode/agents/writer.md")).toBe(agent("One!\n\nTwo.\n\nMine."));
  });

  test("keeps local edits, and counts them as drift only if asked to", async () => {
    await using at = await clone();
    await at.project.write(".opencode/agents/writer.md", "mine");
    const strict = await at.hugo.ci({ strict: true });
    expect(strict.differences).toEqual([
      { workflow: "notes", message: "agents/writer.md has local edits", hint: "`hugo diff notes`" },
    ]);
    expect(ciCommand.report.exitCode(strict)).toBe(1);
    expect(ciCommand.report.text(strict, plain)).toMatch(/^✗ notes .*\n✓ review /);
    const result = await at.hugo.ci();
    expect(ciCommand.report.exitCode(result)).toBe(0);
    expect(ciCommand.report.text(result, plain)).toContain("1 file with local edits kept");
    expect(await at.project.read(".opencode/agents/writer.md")).toBe("mine");
  });

  test("gets the parked files of a disabled workflow back to where they are parked", async () => {
    await using at = await clone();
    await at.hugo.ci();
    await disable.run(at.hugo.context, { global: false, dryRun: false, yes: false, name: ["notes"], all: false });
    await at.project.remove(".opencode/hugo-disabled");
    await at.hugo.ci();
    expect(await at.project.read(".opencode/hugo-disabled/notes/commands/note.md")).toBe("Note it.\n");
    expect(await at.project.exists(".opencode/commands/note.md")).toBe(false);
  });

  test("is only looked at in a dry run", async () => {
    await using at = await clone();
    await at.project.remove(".opencode/agents");
    const before = await at.project.tree();
    const result = await at.hugo.ci({ dryRun: true });
    expect(result.workflows[0]?.files).toEqual(["agents/writer.md"]);
    expect(ciCommand.report.text(result, { colour: false })).toContain(
      "notes v1.0.0 (package would be fetched, 1 file missing)",
    );
    expect(await at.project.tree()).toEqual(before);
  });
});

describe("an entry by name, as earlier versions of Hugo wrote them", () => {
  test("is pointed to the store, with its options, so OpenCode does not fetch the package by itself", async () => {
    await using at = await clone();
    const pin = await pinIn(at.project);
    const config = '{ "plugin": ["other", ["@org/review@1.0.0", { "x": 1 }]] } // mine\n';
    await at.project.write("opencode.json", config);
    const result = await at.hugo.ci();
    expect(ciCommand.report.exitCode(result)).toBe(0);
    expect(result.notices).toEqual([
      expect.stringContaining("opencode.json now points to the package in Hugo's store"),
    ]);
    expect(await at.project.read("opencode.json")).toBe(config.replace("@org/review@1.0.0", pin));
    expect(await at.project.exists(pin)).toBe(true);
  });

  test("stays as it is in a dry run", async () => {
    await using at = await clone();
    await at.project.write("opencode.json", { plugin: ["@org/review@1.0.0"] });
    const before = await contents(at.project);
    expect((await at.hugo.ci({ dryRun: true })).differences).toEqual([]);
    expect(await contents(at.project)).toEqual(before);
  });
});

describe("drift", () => {
  test("is all of it named, and no file of the project is changed", async () => {
    await using at = await clone();
    await at.project.write("opencode.json", { plugin: ["@org/review@0.9.0"] });
    await at.project.write(".opencode/hugo-disabled/notes/commands/note.md", "Note it.\n");
    await at.project.remove(".opencode/agents");
    const before = await contents(at.project);
    const result = await at.hugo.ci();
    expect(ciCommand.report.exitCode(result)).toBe(1);
    const notes = ciCommand.report.notes(result, plain);
    expect(notes).toContain(
      `review: opencode.json lists @org/review@0.9.0, but the lock has ${await pinIn(at.project)}\n`,
    );
    expect(notes).toContain("notes: the lock says it is enabled, but hugo-disabled/notes/commands/note.md is parked\n");
    expect(notes).toContain("2 differences; no project files were changed.\n");
    expect(await contents(at.project)).toEqual(before);
  });

  test("is an entry that is gone, and one that is there though the lock has it disabled", async () => {
    await using at = await clone();
    const config = await at.project.read("opencode.json");
    await at.project.write("opencode.json", { plugin: [] });
    expect((await at.hugo.ci()).differences).toMatchObject([
      { workflow: "review", message: "the lock says it is enabled, but no config file lists it" },
    ]);
    await at.project.write("opencode.json", config);
    await disable.run(at.hugo.context, { global: false, dryRun: false, yes: false, name: ["review"], all: false });
    expect((await at.hugo.ci()).differences).toEqual([]);
    await at.project.write("opencode.json", config);
    expect((await at.hugo.ci()).differences).toMatchObject([
      {
        workflow: "review",
        message: `the lock says it is disabled, but opencode.json lists ${await pinIn(at.project)}`,
      },
    ]);
  });

  test("is a file in place of a workflow that is disabled", async () => {
    await using at = await clone();
    await disable.run(at.hugo.context, { global: false, dryRun: false, yes: false, name: ["notes"], all: false });
    await at.project.write(".opencode/commands/note.md", "Note it.\n");
    expect((await at.hugo.ci()).differences).toMatchObject([
      { workflow: "notes", message: "the lock says it is disabled, but commands/note.md is in place" },
    ]);
  });

  test("is a package that does not match the lock anymore", async () => {
    await using at = await clone();
    at.registry.unpublish("@org/notes");
    at.registry.publish(copy("1.0.0", { ...files, "commands/note.md": "Send it away.\n" }));
    await at.project.remove(".opencode/commands");
    const result = await at.hugo.ci();
    expect(result.failed).toMatchObject([{ name: "notes", code: "integrity-mismatch" }]);
    expect(ciCommand.report.exitCode(result)).toBe(1);
    expect(await at.project.exists(".opencode/commands")).toBe(false);
    // The other is restored: one broken package does not hold up the rest.
    expect(result.workflows.map(({ name }) => name)).toEqual(["review"]);
  });

  test("is a package whose content differs under the right integrity, as of a folder", async () => {
    const written = Object.entries(files).map(([path, text]) => [`packages/notes/${path}`, text]);
    await using project = await tmpProject({ files: Object.fromEntries(written) });
    const hugo = hugoIn(project);
    await hugo.install("./packages/notes");
    await project.remove(".opencode/.hugo");
    await project.write("packages/notes/commands/note.md", "Changed.\n");
    const { failed } = await hugo.ci();
    expect(failed).toMatchObject([{ name: "notes", code: "integrity-mismatch" }]);
    expect(failed[0]?.message).toContain("its content is sha256:");
  });
});

test("problems in the user's own OpenCode have next steps that apply there", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install("@org/notes", { global: true });
  await project.write("~/.config/opencode/commands/note.md", "mine");
  const { differences } = await hugo.ci({ global: true, strict: true });
  expect(differences).toMatchObject([{ workflow: "notes", hint: "`hugo diff -g notes`" }]);
});

test("a tampered store is noticed and replaced", async () => {
  await using at = await clone();
  await at.hugo.ci();
  const [entry = ""] = (await at.project.run(["sh", "-c", "ls .opencode/.hugo/store | grep notes"])).stdout.split("\n");
  const file = `.opencode/.hugo/store/${entry}/node_modules/@org/notes/commands/note.md`;
  await at.project.write(file, "Send it away.\n");
  const result = await at.hugo.ci();
  expect(result.workflows.map(({ isFetched }) => isFetched)).toEqual([true, false]);
  expect(await at.project.read(file)).toBe("Note it.\n");
});

test("without a lock there is nothing to restore, and that is an error", async () => {
  await using project = await tmpProject();
  const error = await refusalOf(hugoIn(project).ci());
  expect([error.code, error.exitCode]).toEqual(["not-installed", 1]);
  expect(await project.exists(".opencode")).toBe(false);
});

import { describe, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { type LockedWorkflow, storeEntry } from "@atomic/workflows/internal/hugo-lock/lock";
import { disable } from "../../src/commands/disable.ts";
import { enable } from "../../src/commands/enable.ts";
import { list } from "../../src/commands/list.ts";
import { refusalOf } from "./hugo-project.ts";
import { contents, contextOf, copiedWorkflow, input, install, pluginWorkflow, store } from "./workspace.ts";

const run = { ...input, all: false } as const;
const page = { colour: false } as const;

describe("enable", () => {
  test("of a plugin that was never disabled writes the exact version after the others", async () => {
    await using project = await tmpProject({ files: { "opencode.json": { $schema: "x", plugin: ["mine"] } } });
    await install(project, { review: pluginWorkflow("review") });
    const result = await enable.run(contextOf(project), { ...run, name: ["review"] });
    expect(enable.report.text(result, page)).toBe("Enabled review v1.0.0 (in opencode.json)\n");
    expect(await project.json("opencode.json")).toEqual({ $schema: "x", plugin: ["mine", "@org/review@1.0.0"] });
  });

  test("of a plugin in two configs names both", async () => {
    const plugin = ["@org/review@1.0.0"];
    await using project = await tmpProject({
      files: { "opencode.json": { plugin }, ".opencode/opencode.json": { plugin } },
    });
    await install(project, { review: pluginWorkflow("review") });
    const off = await disable.run(contextOf(project), { ...run, name: ["review"] });
    const where = "(in opencode.json and .opencode/opencode.json)";
    expect(disable.report.text(off, page)).toBe(`Disabled review v1.0.0 ${where}\n`);
  });

  test("creates a config file if there is none, and disabling removes it again", async () => {
    await using project = await tmpProject();
    await install(project, { review: pluginWorkflow("review") });
    const before = await contents(project);
    await enable.run(contextOf(project), { ...run, name: ["review"] });
    expect(await project.json("opencode.json")).toMatchObject({ plugin: ["@org/review@1.0.0"] });
    await disable.run(contextOf(project), { ...run, name: ["review"] });
    expect(Object.keys(await contents(project))).toEqual(Object.keys(before));

    // From now on the file is the user's, and so is the array in it.
    const own = '{ "$schema": "x", "plugin": [] }\n';
    await project.write("opencode.json", own);
    await enable.run(contextOf(project), { ...run, name: ["review"] });
    await disable.run(contextOf(project), { ...run, name: ["review"] });
    expect(await project.read("opencode.json")).toBe(own);
  });

  test("of a plugin from git writes the path into the store, relative to the config", async () => {
    await using project = await tmpProject({ files: { ".opencode/opencode.json": { $schema: "x", plugin: [] } } });
    const commit = "c".repeat(40);
    const tree = await store(project, "review", "@org/review", { "index.js": "export default async () => ({});\n" });
    await install(project, {
      review: pluginWorkflow("review", { source: "github:org/review", version: commit, tree }),
    });
    await enable.run(contextOf(project), { ...run, name: ["review"] });
    const path = `./.hugo/store/${storeEntry("review", tree, undefined)}/node_modules/@org/review`;
    expect(await project.json(".opencode/opencode.json")).toEqual({ $schema: "x", plugin: [path] });
  });

  test("of a plugin whose stored package was changed is refused, and nothing is changed", async () => {
    await using project = await tmpProject({ files: { "opencode.json": '{ "plugin": ["mine"] }\n' } });
    const files = { "index.js": "export default async () => ({});\n" };
    const [own, other] = [
      await store(project, "review", "@org/review", files),
      await store(project, "audit", "@org/audit", files),
    ];
    const [review, audit] = [pluginWorkflow("review", { tree: own }), pluginWorkflow("audit", { tree: other })];
    await install(project, { review, audit });
    const at = `.opencode/.hugo/store/${storeEntry("review", own, undefined)}/node_modules`;
    await project.write(`${at}/@org/review/index.js`, "evil();\n");
    const before = await contents(project);
    const error = await refusalOf(enable.run(contextOf(project), { ...run, name: [], all: true }));
    expect(error).toMatchObject({
      code: "integrity-mismatch",
      message: "OpenCode would not load what was installed: in Hugo's store, the package of review was changed",
      hint: "Run `hugo ci` to fetch it again, then run this command again. Nothing was changed.",
    });
    expect(await contents(project)).toEqual(before);
    await enable.run(contextOf(project), { ...run, name: ["audit"] });
    await project.write(`${at}/@org/review/index.js`, files["index.js"]);
    await enable.run(contextOf(project), { ...run, name: ["review"] });

    // What the lock does not list could be imported.
    await disable.run(contextOf(project), { ...run, name: ["review"] });
    await project.write(`${at}/extra/index.js`, "evil();\n");
    expect((await refusalOf(enable.run(contextOf(project), { ...run, name: ["review"] }))).code).toBe(
      "integrity-mismatch",
    );
  });

  test("of a plugin whose package is missing is refused, and nothing is changed", async () => {
    await using project = await tmpProject({ files: { "opencode.json": '{ "plugin": ["mine"] }\n' } });
    const tree = `sha256:${"ab".repeat(32)}` as const;
    const [review, audit] = [pluginWorkflow("review", { tree }), pluginWorkflow("audit", { tree })];
    await install(project, { review, audit, debug: pluginWorkflow("debug") });
    const before = await contents(project);
    const error = await refusalOf(enable.run(contextOf(project), { ...run, name: [], all: true }));
    expect(error).toMatchObject({
      code: "not-installed",
      exitCode: 1,
      message: "OpenCode could not load audit, review: the packages cannot be found in Hugo's store",
      hint: "Run `hugo ci` to fetch them, then run this command again. Nothing was changed.",
    });
    expect(await contents(project)).toEqual(before);

    // It is in the config already, as in a clone before `hugo ci`.
    const pin = `./.opencode/.hugo/store/${storeEntry("review", tree, undefined)}/node_modules/@org/review`;
    await project.write("opencode.json", { plugin: [pin] });
    const enabled = await refusalOf(enable.run(contextOf(project), { ...run, name: ["review"] }));
    expect(enabled.message).toBe("OpenCode could not load review: the package cannot be found in Hugo's store");
  });

  test("never writes into a file that hugo.json names but OpenCode does not read", async () => {
    await using project = await tmpProject({ files: { "~/secret.json": "{}\n" } });
    const disabled = { file: "../home/secret.json", index: 0, spec: "@org/review@1.0.0" };
    await install(project, {
      review: pluginWorkflow("review", { delivery: { kind: "plugin", disabled: [disabled] } }),
    });
    await enable.run(contextOf(project), { ...run, name: ["review"] });
    expect(await project.read("~/secret.json")).toBe("{}\n");
    expect(await project.json("opencode.json")).toMatchObject({ plugin: ["@org/review@1.0.0"] });
  });

  test("puts no other package into the array than the workflow's own", async () => {
    await using project = await tmpProject();
    const disabled = { file: "opencode.json", index: 0, spec: "evil@6.6.6", options: { a: 1 } };
    await install(project, {
      review: pluginWorkflow("review", { delivery: { kind: "plugin", disabled: [disabled] } }),
    });
    await enable.run(contextOf(project), { ...run, name: ["review"] });
    expect(await project.json("opencode.json")).toMatchObject({ plugin: [["@org/review@1.0.0", { a: 1 }]] });
  });

  test("does not bring back an entry that pointed to another folder", async () => {
    await using project = await tmpProject();
    const tree = await store(project, "review", "@org/review", { "index.js": "export default async () => ({});\n" });
    await install(project, { review: pluginWorkflow("review", { tree }) });
    const listed = async () => await list.run(contextOf(project), { ...input, name: undefined });
    await enable.run(contextOf(project), { ...run, name: ["review"] });
    const intact = await project.read("opencode.json");
    expect(list.report.text(await listed(), page)).toContain("  enabled  ");

    const entry = `.opencode/.hugo/store/${storeEntry("review", tree, undefined)}`;
    for (const other of [entry.replace(/-[0-9a-f]{16}$/, `-${"0".repeat(16)}`), "mine"]) {
      const spec = `./${other}/node_modules/@org/review`;
      const redirected = intact.replace(`./${entry}/node_modules/@org/review`, spec);
      expect(redirected).not.toBe(intact);
      await project.write("opencode.json", redirected);
      expect(list.report.text(await listed(), page)).toContain("  redirected  ");
      expect(list.report.notes(await listed(), page)).toBe(
        "A config points to a folder other than the installed package's. `hugo verify` shows where.\n",
      );
      const already = await enable.run(contextOf(project), { ...run, name: ["review"] });
      expect(enable.report.notes(already, page)).toBe(
        `Warning: opencode.json lists "${spec}", which is not the package that was installed. Next: \`hugo disable review\`, then \`hugo enable review\`.\n`,
      );

      await disable.run(contextOf(project), { ...run, name: ["review"] });
      const result = await enable.run(contextOf(project), { ...run, name: ["review"] });
      expect(enable.report.notes(result, page)).toStartWith(
        `Warning: opencode.json listed "${spec}", which was not the package that was installed. The entry for the installed one takes its place.\n`,
      );
      expect(await project.read("opencode.json")).toBe(intact);
    }
  });

  test("warns about names that others have, and says which one wins", async () => {
    const files = { "agents/reviewer.md": "---\ndescription: Reviews\n---\n" };
    await using project = await tmpProject({
      files: {
        "opencode.json": { $schema: "x", agent: { debugger: {} } },
        ".opencode/agent/debugger.md": "---\ndescription: Mine\n---\n",
      },
    });
    const debug = pluginWorkflow("debug", { agents: ["debugger", "reviewer"] });
    await install(project, { debug, lint: copiedWorkflow("lint", files) }, files);
    const result = await enable.run(contextOf(project), { ...run, name: ["debug"] });
    expect(result.workflows).toMatchObject([{ change: "enabled" }]);
    const notes = enable.report.notes(result, page);
    expect(notes).toContain('Warning: Agent "debugger" is defined in opencode.json.');
    expect(notes).toContain('Warning: Agent "debugger" is also in .opencode/agent/debugger.md.');
    expect(notes).toContain('Warning: Agent "reviewer" is also provided by workflow "lint".');
    expect(notes).toEndWith("Restart OpenCode to see the change.\n");
  });

  test("does not mention a workflow that stays disabled", async () => {
    await using project = await tmpProject();
    await install(project, {
      a: pluginWorkflow("a", { agents: ["same"] }),
      b: pluginWorkflow("b", { agents: ["same"] }),
    });
    const first = await enable.run(contextOf(project), { ...run, name: ["a"] });
    expect(first.collisions).toEqual([]);
    const second = await enable.run(contextOf(project), { ...run, name: ["b"] });
    expect(second.collisions).toMatchObject([{ name: "same", with: { workflow: "a" } }]);
  });

  test("reports once that two enabled together collide", async () => {
    await using project = await tmpProject();
    await install(project, {
      a: pluginWorkflow("a", { agents: ["same"] }),
      b: pluginWorkflow("b", { agents: ["same"] }),
    });
    const { collisions } = await enable.run(contextOf(project), { ...run, name: ["a", "b"] });
    expect(collisions).toHaveLength(1);
  });

  test("stops before anything is changed if a stranger's file is in the place of a parked one", async () => {
    const files = { "agents/linter.md": "theirs\n", "commands/lint.md": "theirs\n" };
    await using project = await tmpProject();
    await install(project, { lint: copiedWorkflow("lint", files) }, files);
    await disable.run(contextOf(project), { ...run, name: ["lint"] });
    await project.write(".opencode/commands/lint.md", "somebody's\n");
    const before = await contents(project);
    const result = enable.run(contextOf(project), { ...run, name: ["lint"] });
    await expect(result).rejects.toMatchObject({ code: "file-taken", at: ".opencode/commands/lint.md" });
    expect(await contents(project)).toEqual(before);
  });

  test("of two whose parked files contradict each other changes neither", async () => {
    await using project = await tmpProject({
      files: {
        ".opencode/hugo-disabled/a/agents/one.md": "a's\n",
        ".opencode/hugo-disabled/b/agents/one.md": "b's\n",
      },
    });
    const parked = (name: string, text: string): LockedWorkflow => {
      const workflow = copiedWorkflow(name, { "agents/one.md": text });
      if (workflow.delivery.kind !== "copy") throw new Error("It is a copy.");
      return { ...workflow, delivery: { ...workflow.delivery, parked: true } };
    };
    await install(project, { a: parked("a", "a's\n"), b: parked("b", "b's\n") });
    const before = await contents(project);
    const result = enable.run(contextOf(project), { ...run, name: [], all: true });
    await expect(result).rejects.toMatchObject({ code: "file-taken", hint: expect.stringContaining("hugo disable a") });
    expect(await contents(project)).toEqual(before);
  });

  test("with nothing installed says so", async () => {
    await using project = await tmpProject();
    const result = await enable.run(contextOf(project), { ...run, name: [], all: true });
    expect(enable.report.text(result, page)).toBe("Nothing is installed, so there is nothing to enable.\n");
    expect(await project.exists(".opencode")).toBe(false);
  });
});

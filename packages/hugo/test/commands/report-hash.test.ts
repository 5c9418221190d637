// What the hash of a report covers: everything that arrives, and nothing of the machine, the folder or the time.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { type FileContent, type Project, tmpProject } from "@atomic/testing/project";
import { commands } from "../../src/commands.ts";
import { hugo } from "../cli/hugo.ts";
import { copy, plugin } from "./hugo-project.ts";

setDefaultTimeout(120_000);

const claude = (name: string, model: string): string =>
  `---\nname: ${name}\ndescription: Helps\ntools: Read\nmodel: ${model}\n---\n\nHelps.\n`;
const files = {
  ".claude-plugin/plugin.json": '{ "name": "notes" }',
  "agents/thinker.md": claude("thinker", "opus"),
  "agents/writer.md": claude("writer", "sonnet"),
  "commands/memo.md": "---\ndescription: Notes\n---\nWrite it down.\n",
  "commands/note.md": "---\ndescription: Notes\n---\nNote it.\n",
};
const MODELS = ".opencode/hugo-settings.json";
const OLD = "2024-01-01T00:00:00.000Z";

/** Hugo at the end of a pipe. */
async function run({ dir, home, env }: Project, words: string, cwd = dir) {
  return await hugo(words.split(" "), { table: commands, cwd, home, env });
}

/** The hash that a dry run prints. */
async function hashOf(project: Project, words: string, cwd?: string): Promise<string> {
  const { stderr } = await run(project, `${words} --dry-run`, cwd);
  return /--yes=([0-9a-f,-]+)\n/.exec(stderr)?.[1] ?? `no hash: ${stderr}`;
}

/** A registry with a package for Claude Code and a plugin, both old enough to install. */
async function registryWithBoth(): Promise<NpmRegistry> {
  const registry = await npmRegistry();
  registry.publish({ ...copy("1.0.0", files), time: OLD }, { ...plugin("1.0.0"), time: OLD });
  return registry;
}

describe("the hash of one report does not accept another one", () => {
  const NOTES = "install @org/notes";
  const ONE = `${NOTES} --select commands/note`;
  const differs = (parts: string): RegExp => new RegExp(`differs from the report that --yes accepts: ${parts}\\n`);
  const ARRIVES = differs("what arrives in OpenCode");
  const PACKAGE = differs("the package");

  test.each<[what: string, accepted: string, command: string, RegExp, around?: Readonly<Record<string, object>>]>([
    ["another part of it", ONE, `${NOTES} --select commands/memo`, ARRIVES],
    ["a part instead of the whole", NOTES, ONE, /: what arrives in OpenCode, what it can do\n/],
    ["all that there is now, instead of the whole", NOTES, `${NOTES} --select agents/*,commands/*`, ARRIVES],
    ["a prefix", ONE, `${ONE} --prefix acme`, ARRIVES],
    ["another prefix", `${ONE} --prefix acme`, `${ONE} --prefix globex`, ARRIVES],
    ["all projects", NOTES, `${NOTES} -g`, ARRIVES],
    ["all projects, of a plugin", "install @org/review", "install @org/review -g", ARRIVES],
    ["one project", `${NOTES} -g`, NOTES, ARRIVES],
    ["another name", NOTES, `${NOTES} --as memos`, PACKAGE],
    ["another source", NOTES, `${NOTES}@1.0.0`, PACKAGE],
    ["another package", NOTES, "install @org/review", /: the package, /],
    ["a model", NOTES, NOTES, ARRIVES, { [MODELS]: { models: { opus: "local/large" } } }],
    [
      "your own permissions",
      NOTES,
      NOTES,
      /: what arrives in OpenCode, what it can do/,
      { "opencode.json": { permission: { read: "ask" } } },
    ],
  ])("%s", async (...[, accepted, command, different, around = {}]) => {
    await using registry = await registryWithBoth();
    await using project = await tmpProject({ registry });
    const hash = await hashOf(project, accepted);
    for (const [path, content] of Object.entries(around)) await project.write(path, content);
    const tree = [await project.tree(), await project.exists("~/.config/opencode/hugo.json")];
    const refused = await run(project, `${command} --yes=${hash}`);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toMatch(different);
    expect([await project.tree(), await project.exists("~/.config/opencode/hugo.json")]).toEqual(tree);
    // Its own hash is another one, and is accepted.
    const own = await hashOf(project, command);
    expect(own).not.toBe(hash);
    expect((await run(project, `${command} --yes=${own}`)).code).toBe(0);
  });

  test("of another command", async () => {
    await using registry = await registryWithBoth();
    await using project = await tmpProject({ registry });
    const ofInstall = await hashOf(project, "install @org/review@1.0.0");
    await project.write("opencode.json", { plugin: ["@org/review@1.0.0"] });
    const refused = await run(project, `adopt @org/review --yes=${ofInstall}`);
    expect({ code: refused.code, stderr: refused.stderr }).toMatchObject({ code: 4 });
    expect(refused.stderr).toContain("differs from the report that --yes accepts: the package");

    expect((await run(project, `${NOTES} --yes=${await hashOf(project, NOTES)}`)).code).toBe(0);
    registry.publish({ ...copy("1.1.0", { ...files, "commands/note.md": "Note: !`env`\n" }), time: OLD });
    const ofForce = await hashOf(project, `${NOTES} --force`);
    const stale = await run(project, `update notes --yes=${ofForce}`);
    expect({ code: stale.code, stderr: stale.stderr }).toMatchObject({ code: 4 });
    expect(stale.stderr).toContain("differs from the report that --yes accepts: the package");
    const ofUpdate = await hashOf(project, "update notes");
    expect((await run(project, `${NOTES} --force --yes=${ofUpdate}`)).code).toBe(4);
    expect((await run(project, `update notes --yes=${ofUpdate}`)).code).toBe(0);
  });

  test("of an update under other models", async () => {
    await using registry = await registryWithBoth();
    await using project = await tmpProject({ registry });
    expect((await run(project, `${NOTES} --yes`)).code).toBe(0);
    registry.publish({ ...copy("1.1.0", { ...files, "commands/note.md": "Note: !`env`\n" }), time: OLD });
    const hash = await hashOf(project, "update");
    await project.write(MODELS, { models: { opus: "local/large" } });
    const refused = await run(project, `update --yes=${hash}`);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toMatch(ARRIVES);
    expect(refused.stderr).toContain("  Models from hugo-settings.json: opus → local/large\n");
  });
});

describe("a hash from one machine is accepted on another", () => {
  test.each([
    ["a package", "install @org/notes --select agents/* --prefix acme"],
    ["a package for all projects", "install @org/notes -g"],
    ["a plugin", "install @org/review@^1.0.0"],
    ["a folder in the project", "install ./own"],
    ["a folder in the project, for all projects", "install -g ./own"],
  ])("%s, in another folder, with another home and later", async (_, words) => {
    await using registry = await registryWithBoth();
    const own = Object.fromEntries(Object.entries(files).map(([path, text]) => [`own/${path}`, text]));
    // Names that the user has, too, are in the report, but not where that user's home is.
    const mine = { "~/.config/opencode/agent/thinker.md": "Mine.\n" };
    const settings = { [MODELS]: { models: { opus: "local/large" } }, "~/.config/opencode/hugo-settings.json": {} };
    await using first = await tmpProject({ registry, files: { ...own, ...settings, ...mine } });
    await using second = await tmpProject({
      registry,
      files: { ...mine, "a b ü/own/x": "", "a b ü/.git/HEAD": "ref: x\n" },
    });
    const clone = "a b ü/";
    for (const [path, content] of Object.entries<FileContent>({ ...own, [MODELS]: settings[MODELS]! })) {
      await second.write(clone + path, content);
    }
    await second.remove(`${clone}own/x`);
    const hash = await hashOf(first, words);
    // Neither a release that is still too new nor a changed copy in OpenCode's cache changes what arrives.
    registry.publish({ ...copy("1.0.1", files), time: new Date().toISOString() });
    registry.publish({ ...plugin("1.0.1"), time: new Date().toISOString() });
    await second.write("~/.cache/opencode/packages/@org/review@1.0.0/node_modules/@org/review/index.js", "evil()");
    const done = await run(second, `${words} --yes=${hash}`, second.path(clone));
    expect({ code: done.code, stderr: done.stderr }).toMatchObject({ code: 0 });
    if (words.includes("@org/review")) {
      expect(done.stderr).toContain("OpenCode's own copy of @org/review 1.0.0 is not what the registry has");
      expect(done.stderr).toMatch(/Hugo chose @org\/review 1\.0\.0 over 1\.0\.1, which was published/);
    }
  });

  test("a project that has to approve its registry, and one that has", async () => {
    await using registry = await registryWithBoth();
    const npmrc = { ".npmrc": `registry=${registry.url}\n` };
    const env = { npm_config_registry: "" };
    const others = { "~/.npmrc": "registry=http://127.0.0.1:9/\n" };
    await using first = await tmpProject({ files: { ...npmrc, "~/.npmrc": `registry=${registry.url}\n` }, env });
    await using second = await tmpProject({ files: { ...npmrc, ...others }, env });
    const hash = await hashOf(first, "install @org/notes");
    const both = await hashOf(second, "install @org/notes --yes");
    expect(both.split(",")).toHaveLength(2);
    expect(both.split(",")).toContain(hash);
  });
});

test("the report says which names arrive, for whom, and with which models", async () => {
  await using registry = await registryWithBoth();
  await using project = await tmpProject({ registry });
  await project.write("~/.config/opencode/hugo-settings.json", {
    models: { opus: "local/large", haiku: "local/small" },
  });
  const words = "install -g @org/notes --prefix acme --select agents/*";
  const { stderr } = await run(project, words);
  expect(stderr).toStartWith(
    [
      "Install notes v1.0.0 from @org/notes",
      "  2 agents, copied to OpenCode's folders.",
      "  Names: agents/acme-thinker, agents/acme-writer",
      "  For all your projects (-g)",
      "  Hash sha256:",
    ].join("\n"),
  );
  const models = "Models from hugo-settings.json: opus → local/large\n";
  expect(stderr).toContain(`  ${models}`);
  // Where the hash comes from, too.
  expect((await run(project, `${words} --dry-run`)).stderr).toContain(models);
});

test("of many names, the report has a few, and the details have all", async () => {
  await using registry = await npmRegistry();
  const skills = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const skill = (name: string): string => `---\nname: ${name}\ndescription: d\n---\nText.\n`;
  const many = Object.fromEntries(skills.map((name) => [`skills/${name}/SKILL.md`, skill(name)]));
  registry.publish({ ...copy("1.0.0", many), time: OLD });
  await using project = await tmpProject({ registry });
  const few = "  Names: skills/a, skills/b, skills/c, skills/d, skills/e and 3 more\n";
  expect((await run(project, "install @org/notes")).stderr).toContain(few);
  const all = `  Names: ${skills.map((name) => `skills/${name}`).join(", ")}\n`;
  expect((await run(project, "install @org/notes --details")).stderr).toContain(all);
});

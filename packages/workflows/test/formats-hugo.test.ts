// What Hugo installed as plugins, laid out on the disk as Hugo does it; test/journeys has the real Hugo do it.
import { describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import type { Entity } from "../src/entities/entity.ts";
import { initializeWorkflowsSDK } from "../src/entities/initialize.ts";
import { lintEntities } from "../src/entities/lint/lint.ts";
import type { EntityRegistry } from "../src/entities/registry.ts";
import { loadVerdicts } from "../src/entities/tools/load-verdicts.ts";
import { watchEntities } from "../src/entities/watch.ts";

const digits = "0123456789abcdef".repeat(4);
const tree = `sha256:${digits}`;
const entry = "review-0123456789abcdef";
const store = `.opencode/.hugo/store/${entry}/node_modules/@org/review`;
const reviewer = "---\ndescription: Reviews\nmode: subagent\npermission:\n  edit: deny\n---\nReview it.";

const review = {
  package: "@org/review",
  source: "@org/review",
  version: "1.0.0",
  tree,
  delivery: "plugin",
  agents: ["reviewer"],
  commands: ["git/check"],
  skills: ["risks"],
};

/** The same workflow in another package. */
function from(name: string): typeof review {
  return { ...review, package: name, source: name };
}

function lock(workflows: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ version: 1, workflows }, null, 2);
}

const enabled = JSON.stringify({ plugin: ["@org/review@1.0.0"] });

/** The package as its author made it, with more in it than entities. */
const packageFiles = {
  [`${store}/agents/reviewer.md`]: reviewer,
  [`${store}/agents/README.md`]: "About the agents.",
  [`${store}/commands/git/check.md`]: "---\ndescription: Checks\n---\nCheck $1.",
  [`${store}/skills/risks/SKILL.md`]: "---\nname: risks\ndescription: Lists risks\n---\nList them.",
  [`${store}/skills/risks/examples/SKILL.md`]: "---\nname: examples\ndescription: No skill\n---\n",
  [`${store}/workflow.json`]: JSON.stringify({ agents: ["reviewer"], workflows: ["full", "gone", 7] }),
  [`${store}/workflows/full.ts`]: "export default {};\n",
  [`${store}/workflows/other.ts`]: "export default {};\n",
  [`${store}/workflows/full.d.ts`]: "export {};\n",
  [`${store}/src/plugin.ts`]: "throw new Error('run');\n",
};

const installed = {
  ".opencode/hugo.json": lock({ review }),
  "opencode.json": enabled,
  ...packageFiles,
};

type Files = Readonly<Record<string, string>>;

interface Place extends AsyncDisposable {
  readonly project: string;
  readonly home: string;
  write(files: Files): void;
  load(): Promise<EntityRegistry>;
}

/** A project and a home; files of the home start with `~/`. */
async function placeWith(files: Files): Promise<Place> {
  const folder = await temporaryFolder();
  const [project, home] = [join(folder.path, "project"), join(folder.path, "home")];
  for (const path of [project, home]) mkdirSync(path);
  const write = (more: Files): void => {
    for (const [file, content] of Object.entries(more)) {
      const path = file.startsWith("~/") ? join(home, file.slice(2)) : join(project, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  };
  write(files);
  return {
    project,
    home,
    write,
    load: () => initializeWorkflowsSDK({ projectPath: project, userPath: home }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

function ofHugo(registry: EntityRegistry): Entity[] {
  return registry.entries().filter(({ source }) => source.provider === "hugo");
}

function names(registry: EntityRegistry): string[] {
  return ofHugo(registry).map(({ type, name }) => `${type} ${name}`);
}

const everything = ["agent reviewer", "command git/check", "skill risks", "workflow full"];

describe("an installed plugin", () => {
  test("has the entities that hugo.json names, and its workflows", async () => {
    await using place = await placeWith(installed);
    const registry = await place.load();
    expect(names(registry)).toEqual(everything);
    expect(registry.diagnostics()).toEqual([]);
    expect(registry.getAgent("reviewer")).toMatchObject({
      description: "Reviews",
      prompt: "Review it.",
      restrictions: { deny: [{ tool: "edit" }, { tool: "write" }, { tool: "patch" }] },
      source: {
        provider: "hugo",
        location: "project",
        workflow: "review",
        path: join(place.project, store, "agents/reviewer.md"),
      },
    });
    expect(registry.getAgent("hugo:project/reviewer")).toBe(registry.getAgent("reviewer") as Entity);
    expect(registry.getWorkflow("full")?.prompt).toBe("export default {};\n");
  });

  test("of the user counts in every project", async () => {
    const moved = Object.entries(packageFiles).map(([path, text]) => [
      path.replace(".opencode/", "~/.config/opencode/"),
      text,
    ]);
    await using place = await placeWith({
      "~/.config/opencode/hugo.json": lock({ review }),
      "~/.config/opencode/opencode.jsonc": '{ "plugin": ["@org/review@1.0.0"], } // mine',
      ...Object.fromEntries(moved),
    });
    const registry = await place.load();
    expect(names(registry)).toEqual(everything);
    expect(ofHugo(registry).every(({ source }) => source.location === "user")).toBe(true);
  });

  test("ranks below the user's own, whose agent keeps what it forbids", async () => {
    await using place = await placeWith({
      ...installed,
      ".opencode/agents/reviewer.md": "---\ndescription: Mine\n---\nReview as I like it.",
      ".claude/commands/git/check.md": "Mine.",
    });
    const registry = await place.load();
    const winner = registry.getAgent("reviewer");
    expect(winner).toMatchObject({ description: "Mine", source: { provider: "opencode" } });
    expect(winner?.restrictions.deny?.map(({ tool }) => tool)).toContain("edit");
    expect(registry.shadowed().map(({ entity }) => registry.qualifiedName(entity))).toEqual(["hugo:project/reviewer"]);
    place.write({ "opencode.json": "{}" });
    await registry.registerFromProvider("hugo", place.project, "project");
    expect(registry.getAgent("reviewer")?.restrictions).toEqual({});
  });

  test("is read by OpenCode through its plugin, and by no other tool", async () => {
    await using place = await placeWith(installed);
    const registry = await place.load();
    const verdicts = (entity: Entity) => loadVerdicts(entity).filter(({ loads }) => loads);
    expect(verdicts(registry.require("agent", "reviewer"))).toEqual([
      { tool: "opencode", loads: true, as: "reviewer", kind: "agent" },
    ]);
    expect(verdicts(registry.require("workflow", "full"))).toEqual([]);
  });

  test("is linted like files for OpenCode", async () => {
    const text = "---\ndescription: Reviews\npermissions: none\ndescribtion: x\n---\nReview it.";
    await using place = await placeWith({ ...installed, [`${store}/agents/reviewer.md`]: text });
    const found = await lintEntities(place.project, { userPath: place.home });
    expect(found.map(({ code, entity, line }) => [code, entity, line])).toEqual([
      ["restriction-ignored", "hugo:project/reviewer", 3],
      ["key-misspelled", "hugo:project/reviewer", 4],
    ]);
  });
});

describe("whether a plugin is enabled", () => {
  const path = `./${store}`;

  test.each([
    ["its name", "opencode.json", ["@org/review"]],
    ["its name and a version", ".opencode/opencode.json", ["other", "@org/review@1.0.0"]],
    ["options", "opencode.jsonc", [["@org/review@1.0.0", { deep: true }]]],
    ["an alias", "opencode.json", ["rev@npm:@org/review@1.0.0"]],
    ["its folder in the store", "opencode.json", [path]],
    ["a file in its folder", ".opencode/opencode.jsonc", [`./.hugo/store/${entry}/node_modules/@org/review/index.js`]],
    ["an address of its folder", "opencode.json", [`file:///p/${store.replace("@", "%40")}`]],
  ])("is reported for an entry with %s", async (_, file, plugin) => {
    await using place = await placeWith({
      ...packageFiles,
      ".opencode/hugo.json": lock({ review }),
      [file]: JSON.stringify({ plugin }),
    });
    expect(names(await place.load())).toEqual(everything);
  });

  test.each([
    ["no config at all", undefined],
    ["no entry", "{}"],
    ["an empty config", ""],
    ["another package", '{ "plugin": ["@org/review-more", "review", "org/review", "@org"] }'],
    ["a package inside of its folder", JSON.stringify({ plugin: [`${path}/node_modules/dep/index.js`] })],
    ["a way out of its folder", JSON.stringify({ plugin: [`${path}/../other`] })],
    ["values that are not entries", JSON.stringify({ plugin: [7, [], [[]], null, { name: "@org/review" }] })],
    ["a value that is not a list", JSON.stringify({ plugin: "@org/review" })],
    ["a list in another list's place", JSON.stringify({ plugins: ["@org/review"] })],
  ])("is denied by %s", async (_, config) => {
    const files = { ...packageFiles, ".opencode/hugo.json": lock({ review }) };
    await using place = await placeWith(config === undefined ? files : { ...files, "opencode.json": config });
    const registry = await place.load();
    expect(names(registry)).toEqual([]);
    expect(registry.diagnostics()).toEqual([]);
  });

  test("does not depend on what hugo.json records about a disabled one", async () => {
    const disabled = { file: "opencode.json", index: 0, spec: "@org/review@1.0.0" };
    const files = { ...packageFiles, ".opencode/hugo.json": lock({ review: { ...review, disabled } }) };
    await using off = await placeWith({ ...files, "opencode.json": "{}" });
    expect(names(await off.load())).toEqual([]);
    await using backByHand = await placeWith({ ...files, "opencode.json": enabled });
    expect(names(await backByHand.load())).toEqual(everything);
  });

  test("is unknown while a config is broken, which is reported once", async () => {
    await using place = await placeWith({ ...installed, "opencode.json": '{ "plugin": ["@org/review"' });
    const registry = await place.load();
    expect(names(registry)).toEqual([]);
    expect(registry.diagnostics().map(({ code, path }) => [code, path])).toEqual([
      ["config-syntax", join(place.project, "opencode.json")],
    ]);
  });
});

test("files that Hugo copied count as OpenCode's, and only once", async () => {
  const copied = {
    ...review,
    delivery: "copy",
    files: { "agents/reviewer.md": { source: "agents/reviewer.md", base: tree } },
  };
  await using place = await placeWith({
    ...installed,
    ".opencode/hugo.json": lock({ review: copied }),
    ".opencode/agents/reviewer.md": reviewer,
  });
  const registry = await place.load();
  expect(
    registry
      .entries()
      .filter(({ name }) => name === "reviewer")
      .map(({ source }) => source.provider),
  ).toEqual(["opencode"]);
  expect(registry.diagnostics()).toEqual([]);
});

describe("a package that is not in the store", () => {
  test("gives one diagnostic for all packages, with the command that restores them", async () => {
    const others = { notes: from("notes"), off: from("off") };
    await using place = await placeWith({
      ".opencode/hugo.json": lock({ review, ...others }),
      "opencode.json": JSON.stringify({ plugin: ["@org/review", "notes"] }),
    });
    const registry = await place.load();
    expect(names(registry)).toEqual([]);
    expect(registry.diagnostics()).toEqual([
      {
        severity: "warning",
        code: "hugo-package-missing",
        message: 'The packages for installed workflows cannot be found: "review", "notes".',
        path: join(place.project, ".opencode/hugo.json"),
        line: 4,
        column: 5,
        hint: "Run `hugo ci` to download what hugo.json lists.",
      },
    ]);
  });

  test("needs an update if old state does not record its content", async () => {
    const { tree: _, ...migrated } = review;
    await using place = await placeWith({ ...installed, ".opencode/hugo.json": lock({ review: migrated }) });
    const [diagnostic, ...more] = (await place.load()).diagnostics();
    expect(more).toEqual([]);
    expect(diagnostic).toMatchObject({ code: "hugo-package-missing", hint: expect.stringContaining("`hugo update`") });
  });

  test("is noticed by a watch when it comes back", async () => {
    await using place = await placeWith(installed);
    const [inStore, aside] = [join(place.project, ".opencode/.hugo/store", entry), join(place.project, "aside")];
    renameSync(inStore, aside);
    const { promise, resolve } = Promise.withResolvers<readonly Entity[]>();
    await using watch = await watchEntities({
      projectPath: place.project,
      userPath: place.home,
      providers: ["hugo"],
      quietMs: 1,
      onChange: ({ added }) => resolve(added),
    });
    expect(names(watch.registry)).toEqual([]);
    renameSync(aside, inStore);
    expect((await promise).map(({ name }) => name)).toContain("reviewer");
  });

  test("that OpenCode is configured to load is also noticed by a watch", async () => {
    await using place = await placeWith({ ...installed, "opencode.json": "{}" });
    const { promise, resolve } = Promise.withResolvers<readonly Entity[]>();
    await using _ = await watchEntities({
      projectPath: place.project,
      userPath: place.home,
      providers: ["hugo"],
      quietMs: 1,
      onChange: ({ added }) => resolve(added),
    });
    place.write({ "opencode.json": enabled });
    expect((await promise).map(({ name }) => name)).toContain("reviewer");
  });
});

describe("an invalid hugo.json", () => {
  const at = (workflow: unknown): string => lock({ review: workflow });

  test.each([
    ["no JSON", '{ "version": 1,\n  "workflows": <<<<<<< HEAD\n', 2, 16],
    ["a list", "[]", 1, 1],
    ["nothing", "", undefined, undefined],
    ["another version", '{\n  "version": 2, "workflows": {} }', 2, 14],
    ["no workflows", '{ "version": 1 }', 1, 1],
    ["a list of workflows", '{ "version": 1,\n"workflows": [] }', 2, 14],
    ["an invalid workflow", at(7), 4, 15],
    ["an unknown delivery", at({ ...review, delivery: "mail" }), 9, 19],
    ["no package", at({ ...review, package: 7 }), 5, 18],
    ["no hash", at({ ...review, tree: `sha256:../../../../${digits.slice(12)}` }), 8, 15],
    ["no names", at({ ...review, agents: [{}] }), 11, 9],
  ] as const)("(%s) is one diagnostic with its place", async (_, text, line, column) => {
    await using place = await placeWith({ ...installed, ".opencode/hugo.json": text });
    const registry = await place.load();
    expect(names(registry)).toEqual([]);
    const path = join(place.project, ".opencode/hugo.json");
    expect(registry.diagnostics()).toMatchObject([{ severity: "error", code: "hugo-lock-invalid", path }]);
    expect(registry.diagnostics()[0]).toMatchObject(line === undefined ? {} : { line, column });
  });

  test("about one workflow is refused as a whole, as Hugo refuses it", async () => {
    const workflows = { broken: { delivery: "plugin" }, review };
    await using place = await placeWith({ ...installed, ".opencode/hugo.json": lock(workflows) });
    const registry = await place.load();
    expect(names(registry)).toEqual([]);
    expect(registry.diagnostics()).toMatchObject([
      { message: "workflows.broken.package is missing", line: 4, column: 15 },
    ]);
  });
});

describe("nothing outside the store is read", () => {
  const outside = { "outside/agents/reviewer.md": "---\ndescription: Secret\n---\nSecret." };

  test.each([
    ["the name of a workflow", "../../../outside", "@org/review", "is not a valid workflow name"],
    ["the name of a package", "review", "../../../../../outside", "is not a valid package name"],
    ["an absolute name", "review", "/outside", "is not a valid package name"],
    ["a name with a control character", "review", "a\u0000b", "is not a valid package name"],
  ])("by %s", async (_, name, packageName, problem) => {
    const workflow = { ...review, package: packageName };
    await using place = await placeWith({
      ...outside,
      ...packageFiles,
      ".opencode/hugo.json": lock({ [name]: workflow }),
      "opencode.json": JSON.stringify({ plugin: [packageName] }),
    });
    const registry = await place.load();
    expect(names(registry)).toEqual([]);
    expect(registry.diagnostics()).toMatchObject([{ code: "hugo-lock-invalid" }]);
    expect(registry.diagnostics()[0]?.message).toContain(problem);
  });

  test.each([
    ["the store", ".opencode/.hugo/store", "hugo-lock-invalid"],
    ["the package", store, "hugo-lock-invalid"],
    ["a folder of the package", `${store}/agents`, "hugo-link-outside"],
    ["a file of the package", `${store}/agents/reviewer.md`, "hugo-link-outside"],
  ])("through a link in place of %s", async (_, link, code) => {
    await using place = await placeWith({ ...outside, ...installed });
    const target = join(place.project, "outside");
    const from = join(place.project, link);
    // The same content, so that only the place can be the reason.
    renameSync(from, join(target, "same"));
    symlinkSync(join(target, "same"), from);
    const registry = await place.load();
    expect(registry.getAgent("reviewer")).toBeUndefined();
    expect(registry.diagnostics().map((diagnostic) => diagnostic.code)).toEqual([code]);
  });
});

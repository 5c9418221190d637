import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import type { Provider } from "../src/entities/entity.ts";
import { type InitializeOptions, initializeWorkflowsSDK } from "../src/entities/initialize.ts";
import { createEntityRegistry, type EntityRegistry } from "../src/entities/registry.ts";
import { origins } from "./entities.ts";

const files = {
  "project/.claude/commands/commit.md": "---\ndescription: Project commit\n---\nCommit.",
  "project/.claude/skills/review/SKILL.md": "---\nname: review\ndescription: Reviews\n---\nReview.",
  "project/.opencode/agents/judge.md": "---\ndescription: Judges\n---\nJudge.",
  "project/opencode.json": '{ "command": { "commit": { "template": "Commit $ARGUMENTS", "description": "Inline" } } }',
  "project/.github/agents/judge.agent.md": "---\ndescription: Judges for GitHub\n---\nJudge.",
  "project/.agents/skills/review/SKILL.md": "---\nname: review\ndescription: Shared\n---\nReview.",
  "project/.atomic/workflows/ship.ts": "export default 1;\n",
  "home/.claude/commands/commit.md": "---\ndescription: User commit\n---\nCommit.",
  "home/.claude/agents/judge.md": "---\nname: judge\ndescription: Judges at home\n---\nJudge.",
  "home/.config/opencode/agent/judge.md": "---\ndescription: Judges at home\n---\nJudge.",
  "home/.copilot/skills/review/SKILL.md": "---\nname: review\ndescription: Reviews at home\n---\nReview.",
};

function write(root: string, tree: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

function pathsIn(root: string): { projectPath: string; userPath: string } {
  return { projectPath: join(root, "project"), userPath: join(root, "home") };
}

function everythingOf(registry: EntityRegistry): unknown {
  return {
    entries: registry.entries().map((entity) => ({ ...entity, prompt: entity.prompt })),
    winners: origins(registry.all()),
    shadowed: registry.shadowed().map(({ entity, by }) => [entity.source, by.source]),
    diagnostics: registry.diagnostics(),
  };
}

function own(registry: EntityRegistry): string[] {
  return origins(registry.entries().filter(({ source }) => source.location !== "builtin"));
}

describe("initializeWorkflowsSDK", () => {
  test("registers the package's, the user's and the project's entities; the project wins", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, files);
    const registry = await initializeWorkflowsSDK(pathsIn(folder.path));
    expect(registry.getCommand("commit")?.source.location).toBe("project");
    expect(registry.getCommand("claude:user/commit")?.description).toBe("User commit");
    expect(registry.getSkill("commit")?.source).toMatchObject({ location: "builtin", provider: "atomic" });
    expect(registry.getWorkflow("ship")?.source.provider).toBe("atomic");
    expect(own(registry)).toHaveLength(Object.keys(files).length);
    expect(registry.diagnostics()).toEqual([]);
  });

  test("gives the same result for any order of providers, even with duplicates", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, { ...files, "project/.claude/agents/broken.md": "---\ntools: {\n---\n" });
    const providers: Provider[] = ["claude", "opencode", "copilot", "atomic", "agent-skills", "hugo"];
    const load = async (order: readonly Provider[]): Promise<unknown> =>
      everythingOf(await initializeWorkflowsSDK({ ...pathsIn(folder.path), providers: order }));
    const expected = await load(providers);
    expect(await load(providers.toReversed())).toEqual(expected);
    expect(await load([...providers.slice(3), ...providers, ...providers.slice(0, 2)])).toEqual(expected);
  });

  test("loads only the requested providers", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, files);
    const registry = await initializeWorkflowsSDK({ ...pathsIn(folder.path), providers: ["opencode"] });
    expect(own(registry)).toEqual(["opencode:project/judge", "opencode:user/judge", "opencode:project/commit"]);
  });

  test("gives each caller its own registry", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, files);
    const first = await initializeWorkflowsSDK(pathsIn(folder.path));
    const second = await initializeWorkflowsSDK({ ...pathsIn(folder.path), providers: [] });
    expect(own(first).length).toBeGreaterThan(0);
    expect(own(second)).toEqual([]);
  });

  test("refuses a provider that does not exist, with a suggestion", () => {
    const providers = ["cluade" as Provider];
    expect(initializeWorkflowsSDK({ providers, projectPath: "/", userPath: "/" })).rejects.toThrow(
      'Provider not found: "cluade" (did you mean "claude"?)',
    );
  });
});

describe("the log", () => {
  const log = async (options: InitializeOptions): Promise<string[]> => {
    const lines: string[] = [];
    await initializeWorkflowsSDK({ ...options, log: (line) => lines.push(line) });
    return lines;
  };

  test("has one line for each provider, in the given order", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, files);
    expect(
      await log({ ...pathsIn(folder.path), providers: ["claude", "opencode", "copilot", "atomic", "hugo"] }),
    ).toEqual([
      "[workflows] Registered 4 entities from claude (1 skill, 2 commands, 1 agent)",
      "[workflows] Registered 3 entities from opencode (1 command, 2 agents)",
      "[workflows] Registered 2 entities from copilot (1 skill, 1 agent)",
      "[workflows] Registered 1 entity from atomic (1 workflow)",
      "[workflows] Registered 0 entities from hugo",
    ]);
  });

  test("has the documented form", async () => {
    await using folder = await temporaryFolder();
    const skills = Array.from({ length: 5 }, (_, at) => [`project/.claude/skills/s${at}/SKILL.md`, "Skill."]);
    const agents = Array.from({ length: 7 }, (_, at) => [`home/.claude/agents/a${at}.md`, "Agent."]);
    write(folder.path, Object.fromEntries([...skills, ...agents]));
    expect(await log({ ...pathsIn(folder.path), providers: ["claude"] })).toEqual([
      "[workflows] Registered 12 entities from claude (5 skills, 7 agents)",
    ]);
  });
});

describe("a home folder that is also the project", () => {
  const tree = {
    "home/.claude/commands/commit.md": "Commit.",
    "home/.opencode/agents/judge.md": "Judge.",
    "home/.opencode/opencode.json": '{ "agent": { "inline": { "prompt": "x" } } }',
    "home/.github/agents/lawyer.md": "Only a project has agents here.",
    "home/opencode.json": '{ "agent": { "top": { "prompt": "x" } } }',
  };

  test.each([
    ["the same path", (home: string) => home],
    ["another spelling of it", (home: string) => `${home}/../home/`],
    ["a link to it", (home: string) => join(dirname(home), "link")],
  ])("%s: its files are loaded once, as the user's", async (_what, project) => {
    await using folder = await temporaryFolder();
    write(folder.path, tree);
    symlinkSync("home", join(folder.path, "link"));
    const home = join(folder.path, "home");
    const registry = await initializeWorkflowsSDK({ userPath: home, projectPath: project(home) });
    expect(own(registry).toSorted()).toEqual([
      "claude:user/commit",
      "copilot:project/lawyer",
      "opencode:project/top",
      "opencode:user/inline",
      "opencode:user/judge",
    ]);
    expect(registry.shadowed()).toEqual([]);
  });

  test("a project folder that is a link into the home is loaded once, too", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, tree);
    mkdirSync(join(folder.path, "project"));
    symlinkSync("../home/.claude", join(folder.path, "project/.claude"));
    const registry = await initializeWorkflowsSDK(pathsIn(folder.path));
    expect(own(registry).filter((name) => name.includes("claude"))).toEqual(["claude:user/commit"]);
  });
});

describe("what cannot be read is a diagnostic, not an exception:", () => {
  test("folders that do not exist, reported once each", async () => {
    await using folder = await temporaryFolder();
    const { projectPath, userPath } = pathsIn(folder.path);
    const registry = await initializeWorkflowsSDK({ projectPath, userPath });
    expect(registry.diagnostics()).toMatchObject([
      { code: "folder-missing", path: userPath },
      { code: "folder-missing", path: projectPath },
    ]);
    expect(registry.getSkill("commit")).toBeDefined();
  });

  test("a home folder without permission", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, files);
    chmodSync(folder.path, 0o755);
    chmodSync(join(folder.path, "home"), 0);
    const { projectPath, userPath } = pathsIn(folder.path);
    const result = initializeElsewhere({ options: { projectPath, userPath }, withoutRights: true });
    chmodSync(join(folder.path, "home"), 0o755);
    expect(result.diagnostics).toMatchObject([{ code: "folder-unreadable", path: userPath }]);
    expect(result.own).toContain("claude:project/commit");
  });

  test("an empty or relative HOME, which never means the current folder", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, files);
    const { projectPath } = pathsIn(folder.path);
    const result = initializeElsewhere({ cwd: projectPath, env: { HOME: "project" } });
    expect(result.diagnostics).toMatchObject([{ code: "folder-unknown" }]);
    expect(result.own.filter((name) => name.includes(":user/"))).toEqual([]);
    expect(result.own).toContain("claude:project/commit");
  });

  test("a current folder that was deleted", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, files);
    const { userPath } = pathsIn(folder.path);
    const gone = join(folder.path, "gone");
    mkdirSync(gone);
    const result = initializeElsewhere({ cwd: gone, options: { userPath }, deletes: gone });
    expect(result.diagnostics).toMatchObject([{ severity: "warning" }]);
    expect(result.own).toContain("claude:user/commit");
  });
});

describe("registerFromProvider", () => {
  test("called again, replaces what it found before", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, { ".claude/agents/a.md": "A", ".claude/agents/b.md": "B" });
    mkdirSync(join(folder.path, ".claude/agents/broken.md"));
    const registry = createEntityRegistry();
    await registry.registerFromProvider("claude", folder.path);
    expect(registry.diagnostics()).toHaveLength(1);

    rmSync(join(folder.path, ".claude/agents/a.md"));
    rmSync(join(folder.path, ".claude/agents/broken.md"), { recursive: true });
    write(folder.path, { ".claude/agents/c.md": "C" });
    await registry.registerFromProvider("claude", `${folder.path}/`);
    expect(origins(registry.entries())).toEqual(["claude:project/b", "claude:project/c"]);
    expect(registry.diagnostics()).toEqual([]);
  });

  test("leaves alone what was registered in place of a file", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, { ".claude/agents/a.md": "A" });
    const registry = createEntityRegistry();
    await registry.registerFromProvider("claude", folder.path);
    const { source } = registry.require("agent", "a");
    registry.register({ type: "agent", name: "mine", description: "", prompt: "", source });
    rmSync(join(folder.path, ".claude/agents/a.md"));
    await registry.registerFromProvider("claude", folder.path);
    expect(origins(registry.entries())).toEqual(["claude:project/mine"]);
    registry.register({ type: "agent", name: "newer", description: "", prompt: "", source });
    expect(origins(registry.entries())).toEqual(["claude:project/newer"]);
  });

  test("takes the home folder for the user's", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, files);
    const result = initializeElsewhere({
      env: { HOME: join(folder.path, "home") },
      register: join(folder.path, "home"),
    });
    expect(result.own).toEqual(["claude:user/judge", "claude:user/commit"]);
  });

  test("of two providers at the same time gives what one after the other gives", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, files);
    const { projectPath, userPath } = pathsIn(folder.path);
    const registry = createEntityRegistry();
    const providers = ["opencode", "claude", "copilot", "agent-skills", "atomic"] as const;
    await Promise.all([
      ...providers.map((provider) => registry.registerFromProvider(provider, projectPath)),
      ...providers.map((provider) => registry.registerFromProvider(provider, userPath, "user")),
    ]);
    expect(own(registry)).toEqual(own(await initializeWorkflowsSDK({ projectPath, userPath })));
  });
});

interface Elsewhere {
  readonly options?: InitializeOptions;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A folder to delete before the call. */
  readonly deletes?: string;
  /** Register Claude's files from here instead. */
  readonly register?: string;
  /** Root may read everything, so the question is then asked by a process without rights. */
  readonly withoutRights?: boolean;
}

/** In a process of its own, for what a process has only one of: its home, its folder, its user. */
function initializeElsewhere(how: Elsewhere): { own: string[]; diagnostics: unknown[] } {
  const script = `
    import { rmSync } from "node:fs";
    import { initializeWorkflowsSDK } from ${JSON.stringify(join(import.meta.dir, "../src/entities/initialize.ts"))};
    import { createEntityRegistry } from ${JSON.stringify(join(import.meta.dir, "../src/entities/registry.ts"))};
    const how = ${JSON.stringify(how)};
    if (how.deletes) rmSync(how.deletes, { recursive: true });
    const registry = how.register ? createEntityRegistry() : await initializeWorkflowsSDK(how.options);
    if (how.register) await registry.registerFromProvider("claude", how.register);
    const own = registry.entries().filter(({ source }) => source.location !== "builtin");
    const names = own.map(({ name, source }) => source.provider + ":" + source.location + "/" + name);
    console.log(JSON.stringify({ own: names, diagnostics: registry.diagnostics() }));`;
  const drop = how.withoutRights === true && process.getuid?.() === 0;
  const argv = [...(drop ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []), process.execPath];
  const [program = "", ...args] = [...argv, "-e", script];
  const env = { ...process.env, HOME: "/dev/null/home", ...how.env };
  return JSON.parse(execFileSync(program, args, { encoding: "utf8", env, ...(how.cwd && { cwd: how.cwd }) }));
}

test.each<[string, object, string]>([
  ["a mode", { mode: "astool" }, '`mode` must be "default" or "as-tool", not "astool".'],
  ["a project's path", { projectPath: 5 }, "`projectPath` must be the path to a folder, not 5."],
  ["an empty path", { userPath: "" }, '`userPath` must be the path to a folder, not "".'],
  ["a text for a list of providers", { providers: "claude" }, "`providers` must be a list of "],
  ["an unknown provider", { providers: ["cluade"] }, '(did you mean "claude"?)'],
])("%s that does not exist is a TypeError", async (_what, options, message) => {
  const failure = await initializeWorkflowsSDK(options).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TypeError);
  expect(String(failure)).toContain(message);
});

test("an unknown type or location is a TypeError", async () => {
  const registry = createEntityRegistry();
  const odd = "agents" as "agent";
  for (const call of [() => registry.get(odd, "a"), () => registry.search(odd, ""), () => registry.all(odd)]) {
    expect(call).toThrow('An entity\'s type must be one of agent, command, skill, workflow, not "agents".');
  }
  expect(registry.registerFromProvider("claude", "/", "builtin" as "user")).rejects.toThrow("A location must be");
});

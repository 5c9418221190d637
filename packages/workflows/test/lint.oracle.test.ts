// What lint claims about the tools, asked of the real ones.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { claudeQuery } from "@atomic/testing/claude";
import { heavyHost } from "@atomic/testing/heavy";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { type Project, tmpProject } from "@atomic/testing/project";
import { initializeWorkflowsSDK } from "../src/entities/initialize.ts";
import { builtinAgents, builtinCommands, builtinSkills } from "../src/entities/lint/known-names.ts";
import { lintEntities } from "../src/entities/lint/lint.ts";
import { isUnknownTo } from "../src/entities/normalize/tool-names.ts";
import { isReadByNone } from "../src/entities/tools/read-by-none.ts";
import { entityNames } from "../src/graph/entity-names-file.ts";
import { expandInClaude } from "./oracle/expand-in-claude.ts";
import { expandInOpenCode } from "./oracle/expand-in-opencode.ts";
import { listedByClaude } from "./oracle/listed-by-claude.ts";
import { listedByCopilot } from "./oracle/listed-by-copilot.ts";
import { offeredByClaude } from "./oracle/offered-by-claude.ts";
import { offeredByCopilot } from "./oracle/offered-by-copilot.ts";

setDefaultTimeout(120_000);

interface Info {
  readonly name: string;
  readonly prompt?: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

type Files = Readonly<Record<string, string>>;

type Answer = readonly Info[] | "refused";

/** It serves a folder for each question: what is in one of them is nothing to the others. */
let home: Project;
let server: Awaited<ReturnType<typeof opencodeServe>>;

beforeAll(async () => {
  home = await tmpProject({ git: false });
  server = await opencodeServe(home);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
});

/** What OpenCode lists for these files. */
async function opencode(files: Files): Promise<{ agents: Answer; commands: Answer; skills: Answer }> {
  await using project = await tmpProject({ git: false, files });
  const list = async (path: string): Promise<Answer> => {
    const response = await fetch(`${server.url}/${path}?directory=${encodeURIComponent(project.dir)}`);
    return response.ok ? ((await response.json()) as Info[]) : "refused";
  };
  return { agents: await list("agent"), commands: await list("command"), skills: await list("skill") };
}

function named(answer: Answer, name: string): Info | undefined {
  return answer === "refused" ? undefined : answer.find((info) => info.name === name);
}

function strangers(answer: Answer, known: ReadonlySet<string>): string[] {
  if (answer === "refused") throw new Error("OpenCode does not answer.");
  return answer.map(({ name }) => name).filter((name) => !known.has(name));
}

async function codesFor(files: Files): Promise<string[]> {
  await using project = await tmpProject({ git: false, files });
  return (await lintEntities(project.dir, { userPath: project.home })).map(({ code }) => code);
}

const echo = "B`x!`echo TWO$((1+1))` y";

describe("OpenCode", () => {
  test("has no built-in agents, commands or skills unknown to lint", async () => {
    const { agents, commands, skills } = await opencode({});
    expect(strangers(agents, builtinAgents.opencode)).toEqual([]);
    expect(strangers(commands, builtinCommands)).toEqual([]);
    expect(strangers(skills, builtinSkills.opencode)).toEqual([]);
  });

  test("replaces {env:…} in opencode.json, and not in Markdown", async () => {
    const files = {
      "opencode.json": '{ "agent": { "inline": { "prompt": "[{env:LANG}]" } } }',
      ".opencode/agents/file.md": "---\ndescription: A\n---\n[{env:LANG}]",
    };
    const { agents } = await opencode(files);
    const prompts = ["inline", "file"].map((name) => named(agents, name)?.prompt);
    expect(prompts).toEqual(["[C.UTF-8]", "[{env:LANG}]"]);
    expect(await codesFor(files)).toEqual(["opencode-substitution-dead", "opencode-substitution"]);
  });

  test.each(["constructor", "toString"])("lists no agents while one is called %s", async (name) => {
    const files = { [`.opencode/agents/${name}.md`]: "---\ndescription: A\n---\nBody" };
    expect((await opencode(files)).agents).toBe("refused");
    expect(await codesFor(files)).toContain("name-breaks-opencode");
  });

  test("hands keys that it does not know on to the model's provider", async () => {
    const files = { ".opencode/agents/a.md": "---\ndescription: A\nwhimsy: 1\nallowed-tools: Read\n---\nBody" };
    const { agents } = await opencode(files);
    expect(named(agents, "a")?.options).toEqual({ whimsy: 1, "allowed-tools": "Read" });
    expect(await codesFor(files)).toEqual(["key-unknown", "restriction-ignored"]);
  });

  test("fails on a template that is still to be filled in, where it needs a text", async () => {
    const agent = { ".opencode/agents/x.md": "---\nname: {{NAME}}\ndescription: X\n---\nBody" };
    const command = { ".opencode/commands/x.md": "---\ndescription: {{ what }}\n---\nBody" };
    const other = { ".opencode/commands/x.md": "---\ndescription: X\nwhimsy: {{ what }}\n---\nBody" };
    expect((await opencode(agent)).agents).toBe("refused");
    expect((await opencode(command)).commands).toBe("refused");
    expect(named((await opencode(other)).commands, "x")).toBeDefined();
    expect(await codesFor(agent)).toContain("stops-tool");
    expect(await codesFor(command)).toContain("stops-tool");
    expect(await codesFor(other)).not.toContain("stops-tool");
  });

  test("reads no file whose name ends with .MD", async () => {
    const agent = "---\nname: capitals\ndescription: X\n---\nBody";
    const files = { ".opencode/agents/capitals.MD": agent, ".opencode/skills/capitals/SKILL.MD": agent };
    const { agents, skills } = await opencode(files);
    expect([named(agents, "capitals"), named(skills, "capitals")]).toEqual([undefined, undefined]);
    expect(await codesFor(files)).toEqual(["file-unread", "file-unread"]);
  });

  test("runs the text between a word! in code and the next code", async () => {
    const [text] = await expandInOpenCode([{ body: echo, input: "", expected: "" }]);
    expect(text).toContain("TWO2");
    expect(await codesFor({ ".opencode/commands/x.md": `---\ndescription: X\n---\n${echo}` })).toEqual(["runs-shell"]);
  });
});

describe("Claude Code", () => {
  const host = heavyHost("claude");
  if (!host.available) console.warn(`skipped: what lint claims about Claude Code: ${host.reason}`);

  test.skipIf(!host.available)("has no built-in agents or commands unknown to lint", async () => {
    await using project = await tmpProject({ git: false });
    const lines = await listedByClaude(project);
    const namesOf = (type: string): string[] => lines.flatMap((line) => (line.type === type ? [line.name] : []));
    expect(namesOf("agent").filter((name) => !builtinAgents.claude.has(name.toLowerCase()))).toEqual([]);
    // That one is for its own use, not for people to mention.
    expect(namesOf("slash").filter((name) => !builtinCommands.has(name))).toEqual(["__remote-workflow"]);
  });

  test.skipIf(!host.available)("runs a command only where white space is in front of it", async () => {
    const texts = await expandInClaude([
      { body: echo, input: "", expected: "" },
      { body: "A !`echo ONE$((1+1))`", input: "", expected: "" },
    ]);
    expect(texts.map((text) => /ONE2|TWO2/.test(text))).toEqual([false, true]);
    expect(await codesFor({ ".claude/commands/x.md": `---\ndescription: X\n---\n${echo}` })).toEqual([]);
  });

  test.skipIf(!host.available)("runs a command that changes something only if its permissions allow it", async () => {
    const body = "Mark: !`touch ran`";
    const files = {
      ".claude/commands/asks.md": `---\ndescription: X\n---\n${body}`,
      ".claude/commands/granted.md": `---\ndescription: X\nallowed-tools: Bash(touch:*)\n---\n${body}`,
    };
    await using project = await tmpProject({ git: false, files });
    await using model = await modelServer({ allowUnused: true });
    model.expect().always().reply("ok");
    const ran: boolean[] = [];
    for (const name of ["asks", "granted"]) {
      await using claude = await claudeQuery(project, model, `/${name}`);
      await claude.answer();
      ran.push(existsSync(join(project.dir, "ran")));
    }
    expect(ran).toEqual([false, true]);
    const [finding] = await lintEntities(project.dir, { userPath: project.home });
    expect(finding?.message).toBe(
      "Using this command in Claude Code, if its permissions allow it, runs `touch ran` in a shell.",
    );
  });

  test.skipIf(!host.available)("restricts a command by `disallowed-tools`, and not by `allowed-tools`", async () => {
    const heads = ["description: X", "allowed-tools: Read", "tools: Read", "disallowed-tools: Bash"];
    const files = heads.map((head, i) => [`.claude/commands/c${i}.md`, `---\n${head}\n---\nBody`] as const);
    await using project = await tmpProject({ git: false, files: Object.fromEntries(files) });
    const ran: boolean[] = [];
    for (const i of heads.keys()) {
      await using model = await modelServer({ allowUnused: true });
      model
        .expect()
        .tool("Bash", { command: `touch ran-${i}`, description: "Leaves a mark" })
        .then.reply("ok");
      model.expect().always().reply("ok");
      await using claude = await claudeQuery(project, model, `/c${i}`);
      await claude.answer();
      ran.push(existsSync(join(project.dir, `ran-${i}`)));
    }
    expect(ran).toEqual([true, true, true, false]);
    // The third says that it restricts and does not; Copilot, which also reads commands, ignores the fourth.
    const codes = await codesFor(Object.fromEntries(files));
    expect(codes).toEqual(["restriction-ignored", "restriction-not-everywhere"]);
  });

  test.skipIf(!host.available)("gives an agent no tools if it knows none of them", async () => {
    const unknown = ["search/codebase, edit/editFiles", "[LS, MultiEdit]", "Frobnicate, Zap"];
    const heads = [...unknown, "codebase, Read"].map((tools) => `tools: ${tools}`);
    const [all = [], ...offered] = await offeredByClaude(["model: inherit", ...heads]);
    expect(offered.map((tools) => tools.length > 0)).toEqual([false, false, false, true]);
    // It stands for tools that are described only on demand.
    const own = all.filter((tool) => tool !== "DeferredToolPlaceholder");
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((tool) => isUnknownTo("claude", tool))).toEqual([]);
    const files = heads.map((head, i) => [
      `.claude/agents/a${i}.md`,
      `---\nname: a${i}\ndescription: X\n${head}\n---\n`,
    ]);
    expect(await codesFor(Object.fromEntries(files))).toEqual(unknown.map(() => "tools-unknown"));
  });

  test.skipIf(!host.available)("lists two skills with one name, and no README", async () => {
    const twin = "---\nname: twin\ndescription: One of two\n---\nBody";
    const files = {
      ".claude/skills/a/SKILL.md": twin,
      ".claude/skills/b/SKILL.md": twin,
      ".claude/agents/README.md": "# About",
    };
    await using project = await tmpProject({ git: false, files });
    const names = (await listedByClaude(project)).map(({ name }) => name.toLowerCase());
    expect(names.filter((name) => name === "twin" || name === "readme")).toEqual(["twin", "twin"]);
    expect(await codesFor(files)).toEqual(["skill-name-folder", "name-duplicate", "skill-name-folder"]);
  });
});

describe("Copilot", () => {
  const host = heavyHost("copilot");
  if (!host.available) console.warn(`skipped: what lint claims about Copilot: ${host.reason}`);

  test.skipIf(!host.available)("gives an agent nothing but its own table if it knows none of its tools", async () => {
    const heads = ["tools: [codebase, findTestFiles, search/usages]", "tools: [codebase, editFiles]", "model: [a, b]"];
    const offered = await offeredByCopilot(heads);
    expect(offered.map((tools) => tools.filter((tool) => tool !== "sql").length > 0)).toEqual([false, true, true]);
    const files = heads.map((head, i) => [`.github/agents/a${i}.md`, `---\ndescription: X\n${head}\n---\nBody`]);
    expect(await codesFor(Object.fromEntries(files))).toEqual(["tools-unknown"]);
  });
});

test.each([
  ["claude", listedByClaude],
  ["copilot", listedByCopilot],
] as const)("%s lists no README, empty file, dead link or FIFO, and neither does Atomic", async (name, listed) => {
  const host = heavyHost(name);
  if (!host.available) return console.warn(`skipped: which files ${name} does not list as agents: ${host.reason}`);
  const real = "---\nname: real\ndescription: One\n---\nBody";
  const files = { "README.md": "# About", "empty.md": "", "real.md": real };
  await using project = await tmpProject({ git: false });
  for (const [file, text] of Object.entries(files)) await project.write(`.claude/agents/${file}`, text);
  symlinkSync("nowhere", project.path(".claude/agents/dead.md"));
  execFileSync("mkfifo", [project.path(".claude/agents/pipe.md")]);
  const ours = (names: readonly string[]) => names.filter((each) => /^(?:readme|empty|real|dead|pipe)$/i.test(each));
  expect(ours((await listed(project)).map((each) => each.name))).toEqual(["real"]);
  const registry = await initializeWorkflowsSDK({ projectPath: project.dir, userPath: project.home });
  expect(ours(entityNames(registry, isReadByNone).agent)).toEqual(["real"]);
});

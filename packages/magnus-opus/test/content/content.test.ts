// The Markdown of the package, read as the registry, Hugo's plugins and the rest of the package read it.
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { initializeWorkflowsSDK } from "@atomic/workflows/internal/entities/initialize";
import { lintEntities } from "@atomic/workflows/internal/entities/lint/lint";
import { readWorkflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { agentSkills } from "../../src/plugin/setup/configure-agents.ts";
import * as personCommands from "../../src/run/person-commands.ts";
import { roles } from "../../src/run/phase-name.ts";
import { severities, verdicts } from "../../src/run/review.ts";
import { lookUp } from "../../src/run/state.ts";
import { stackAgent } from "../../src/stacks/stack.ts";
import { packageStack } from "../stacks/package-stack.ts";
import { packageDir, publishedFiles } from "./published-files.ts";

const { agents, commands, skills, diagnostics } = readWorkflow(packageDir);
const stacks = readdirSync(`${packageDir}/stacks`).map(packageStack);
const reviewing = ["reviewer", "plan-reviewer", "designer"];
const files = Object.entries(await publishedFiles());
const bodyOf = (text: string): string => text.slice(text.indexOf("\n---\n") + 5).trim();

test("OpenCode accepts every file", () => {
  expect(diagnostics).toEqual([]);
});

test("the registry and its lint accept a project with all of the files", async () => {
  await using project = await tmpProject({ files: Object.fromEntries(files) });
  const userPath = project.path("~");
  const registry = await initializeWorkflowsSDK({ projectPath: project.dir, userPath });
  expect(registry.diagnostics()).toEqual([]);
  const found = registry.entries().filter(({ source }) => source.location !== "builtin");
  expect(found).toHaveLength(files.length);
  // OpenCode has no use for a hint behind a command; the prompt line of `atomic` shows it.
  const findings = (await lintEntities(project.dir, { userPath })).filter(
    ({ message }) => !/`argument-hint`/.test(message),
  );
  expect(findings).toEqual([]);
});

describe("an agent", () => {
  test("exists for every role in a run, and one of them talks to the user", () => {
    expect(Object.keys(agents).toSorted()).toEqual([...roles].toSorted());
    const primary = Object.entries(agents).filter(([, { mode }]) => mode === "primary");
    expect(primary.map(([name]) => name)).toEqual(["orchestrator"]);
  });

  test("brings no model and no settings of one provider", () => {
    const settings = Object.values(agents).flatMap((agent) => Object.keys(agent));
    expect(settings).not.toContainAnyValues(["model", "variant", "options"]);
  });

  test("has its own color", () => {
    const colors = Object.values(agents).map(({ color }) => color);
    expect(new Set(colors).size).toBe(colors.length);
  });

  test.each(reviewing)("that reviews uses the words that the gates count: %s", (name) => {
    const prompt = agents[name]?.prompt ?? "";
    for (const word of [...severities, ...verdicts, "submit_review", "`problem`", "`fix`"])
      expect(prompt).toContain(word);
  });

  test("names only agents that exist, and the orchestrator names and may start all of them", () => {
    const others = roles.filter((role) => role !== "orchestrator");
    const { task } = agents.orchestrator?.permission ?? {};
    expect(Object.keys(task as object).toSorted()).toEqual(["*", ...others].toSorted());
    for (const role of others) expect(agents.orchestrator?.prompt).toContain(`\`${role}\``);
  });
});

describe("a command", () => {
  test("exists for everything that a run asks the user to type", () => {
    const run = { run: "impl-1", commandNames: {} };
    const typed = [
      personCommands.personCommand(run, "approve"),
      personCommands.personCommand(run, "type"),
      personCommands.personCommand(run, "waive", "user_approval"),
      personCommands.personCommand(run, "reject"),
      personCommands.personCommand(run, "resume"),
      personCommands.personCommand(run, "cancel"),
      personCommands.personCommand(run, "raise", "usd"),
    ].map((text) => /^`\/([\w-]+)/.exec(text)?.[1] ?? text);
    expect(Object.keys(commands)).toEqual(expect.arrayContaining(typed));
  });

  test("leaves OpenCode's own commands alone", () => {
    const own = ["init", "review", "help", "resume", "sessions", "new", "undo", "redo", "share", "compact", "models"];
    expect(Object.keys(commands)).not.toContainAnyValues(own);
  });

  test.each(files.filter(([path]) => path.includes("/commands/")))("says what to type behind it: %s", (_path, text) => {
    expect(text).toMatch(/^argument-hint: "\S.*"$/m);
    expect(text).toMatch(/^agent: orchestrator$/m);
    // The plugin fills in the words: OpenCode would run what stands between !` and ` in them.
    expect(bodyOf(text).match(/\$\w+/g)).toEqual(["$99999"]);
  });
});

describe("a skill", () => {
  test("has the name of its folder, and says when to use it", () => {
    for (const [path, text] of files.filter(([path]) => path.endsWith("SKILL.md"))) {
      expect([path, /^name: (.*)$/m.exec(text)?.[1]]).toEqual([path, basename(dirname(path))]);
      expect([path, /^description: .{60,1000} Use .+\.$/m.test(text)]).toEqual([path, true]);
    }
  });

  test("exists for every agent that uses one", () => {
    const names = skills.map(({ name }) => name);
    const all = [agentSkills, ...stacks.map((stack) => stack.skills)];
    expect(names).toEqual(expect.arrayContaining(all.flatMap((each) => Object.values(each).flat())));
    expect(roles).toEqual(expect.arrayContaining(all.flatMap((each) => Object.keys(each)) as never));
  });
});

test("the README lists every command, agent and skill, and no others", async () => {
  const readme = await Bun.file(`${packageDir}/README.md`).text();
  const firstColumn = (title: string): string[] => {
    const [, section = ""] = readme.split(`## ${title}\n`);
    const rows = section.split("\n## ")[0]?.match(/^\| `.*$/gm) ?? [];
    return rows.flatMap((row) =>
      [...(row.split(" | ")[0] ?? "").matchAll(/`\/?([\w-]+)/g)].map(([, name = ""]) => name),
    );
  };
  expect(firstColumn("Commands").toSorted()).toEqual(Object.keys(commands).toSorted());
  expect(firstColumn("Agents").toSorted()).toEqual(Object.keys(agents).toSorted());
  expect(firstColumn("Skills").toSorted()).toEqual(skills.map(({ name }) => name).toSorted());
});

describe("a prompt's budget", () => {
  const characters = (folder: string) =>
    files.filter(([path]) => path.includes(`/${folder}/`)).map(([path, text]) => [path, bodyOf(text).length] as const);
  const over = (folder: string, most: number) => characters(folder).filter(([, length]) => length > most);

  test("holds for every agent, command and skill", () => {
    expect(over("agents", 3_500)).toEqual([]);
    expect(over("commands", 500)).toEqual([]);
    expect(over("skills", 13_000)).toEqual([]);
  });

  test("holds for an agent with its skills", () => {
    const lengths = new Map([...characters("agents"), ...characters("skills")]);
    const sum = (agent: string, names: readonly string[]) =>
      names.reduce(
        (total, name) => total + (lengths.get(`.opencode/skills/${name}/SKILL.md`) ?? Number.NaN),
        lengths.get(`.opencode/agents/${agent}.md`) ?? Number.NaN,
      );
    for (const stack of stacks) {
      for (const agent of roles) {
        const names = [...(lookUp(agentSkills, agent) ?? []), ...(lookUp(stack.skills, agent) ?? [])];
        const most = agent === "orchestrator" ? 14_000 : 24_000;
        const all = sum(agent, names) + stackAgent(stack, agent).text.length;
        expect([stack.name, agent, all <= most]).toEqual([stack.name, agent, true]);
      }
    }
  });

  test("holds for what a stack adds to an agent", () => {
    const over = stacks.flatMap((stack) => roles.filter((role) => stackAgent(stack, role).text.length > 2_000));
    expect(over).toEqual([]);
  });
});

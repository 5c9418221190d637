// The real programs, asked what they list in a monorepo, in a worktree, near the home folder and with moved home folders.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { relative } from "node:path";
import { heavyHost } from "@atomic/testing/heavy";
import { opencodeServe } from "@atomic/testing/opencode";
import { skipPluginInstall } from "@atomic/testing/opencode/plugin-install";
import { type Project, tmpProject } from "@atomic/testing/project";
import type { ToolName } from "../../src/entities/entity.ts";
import { initializeWorkflowsSDK } from "../../src/entities/initialize.ts";
import { viewAs } from "../../src/entities/tools/view-as.ts";
import { listedByClaude } from "./listed-by-claude.ts";
import { listedByCopilot } from "./listed-by-copilot.ts";
import { listedByOpencode } from "./listed-by-opencode.ts";
import { entriesOf, type Listing, type Start } from "./listing.ts";

setDefaultTimeout(180_000);

/** Folders and the variables that a tool is started with. */
interface Layout {
  readonly name: string;
  /** Where every tool's folders are planted; relative to the project, or below `~`. */
  readonly folders: readonly string[];
  /** Like `.opencode`, `.claude` or `.copilot` themselves. */
  readonly homes?: readonly string[];
  readonly git: string;
  readonly starts: readonly Start[];
}

const layouts: readonly Layout[] = [
  {
    name: "a repository with packages, nested repositories and worktrees",
    folders: ["", "packages", "packages/app", "packages/sub", "packages/sub/inner", "empty-git/x", "broken-git/x"],
    git: [
      "git init -q && echo > packages/app/file",
      "(cd packages/sub && git init -q && git add -A && git commit -qm sub)",
      "git add .claude/skills packages/app && git commit -qm all && git worktree add -q ../tree",
      "mkdir empty-git/.git && echo broken > broken-git/.git",
    ].join(" && "),
    starts: [
      { cwd: "" },
      { cwd: "packages/app" },
      { cwd: "packages/app/.claude/agents" },
      { cwd: "packages/sub/inner" },
      { cwd: "empty-git/x" },
      { cwd: "broken-git/x" },
      { cwd: "../tree/packages/app" },
    ],
  },
  {
    name: "a folder below the home folder, outside of any repository",
    folders: ["..", "~", "~/work", "~/work/app"],
    git: "true",
    starts: [{ cwd: "~/work/app" }, { cwd: "~" }, { cwd: "" }],
  },
  {
    name: "a home folder that is a repository",
    folders: ["..", "~", "~/work", "~/work/app"],
    git: "cd ~ && git init -q",
    starts: [
      { cwd: "~/work/app" },
      { cwd: "~/work/app", env: { CLAUDE_CONFIG_DIR: "~/moved", COPILOT_HOME: "~/moved" } },
    ],
  },
  {
    name: "a home folder inside a repository",
    folders: ["..", "~", "~/work", "~/work/app", "app"],
    git: "cd .. && git init -q",
    starts: [{ cwd: "~/work/app" }, { cwd: "app" }],
  },
  {
    name: "moved home folders",
    folders: ["", "app", "~"],
    homes: ["~/moved", "~/xdg/opencode", "~/further", "app/near"],
    git: "git init -q && cp ~/moved/opencode.json ~/custom.json",
    starts: [
      {
        env: {
          CLAUDE_CONFIG_DIR: "~/moved",
          COPILOT_HOME: "~/moved",
          XDG_CONFIG_HOME: "~/xdg",
          OPENCODE_CONFIG_DIR: "~/further/",
          OPENCODE_CONFIG: "~/custom.json",
        },
      },
      { env: { CLAUDE_CONFIG_DIR: "~/nowhere", COPILOT_HOME: "~/.copilot/", OPENCODE_CONFIG_DIR: "~/nowhere" } },
      { cwd: "app", env: { CLAUDE_CONFIG_DIR: "near/../near", COPILOT_HOME: "near" } },
      { cwd: "app", env: { CLAUDE_CONFIG_DIR: "", COPILOT_HOME: "", XDG_CONFIG_HOME: "", OPENCODE_CONFIG_DIR: "" } },
    ],
  },
];

/** One file of its own and one that all folders have, in every place that is tested here. */
async function plant(project: Project, { folders, homes = [], git }: Layout): Promise<void> {
  const write = async (root: string, places: readonly string[]): Promise<void> => {
    const own = `own-${idOf(root)}`;
    for (const place of places) {
      const at = root === "" ? place : `${root}/${place}`;
      // OpenCode's skills race, so these have names of their own only.
      const names = /skills?$/.test(place) ? [own] : [own, "same"];
      for (const name of names) {
        const full = `${name}${place.replace(/^\W*|\W+/g, "-")}`;
        const text = `---\nname: ${full}\ndescription: At ${at}\n---\nBody\n`;
        await project.write(`${at}/${full}${/skills?$/.test(place) ? "/SKILL" : ""}.md`, text);
      }
    }
    for (const config of places.flatMap((place) => (place.endsWith("opencode/agents") ? ["", ".opencode/"] : []))) {
      await project.write(`${root === "" ? "" : `${root}/`}${config}opencode.json`, configOf(`${root}/${config}`));
    }
  };
  const dotted = [".claude", ".opencode", ".copilot", ".config/opencode"].flatMap((dot) =>
    ["agents", "commands", "skills"].map((folder) => `${dot}/${folder}`),
  );
  for (const root of folders) await write(root, [...dotted, ".github/agents", ".github/skills", ".agents/skills"]);
  for (const root of homes) {
    await write(root, ["agents", "agent", "commands", "skills"]);
    await project.write(`${root}/opencode.json`, configOf(root));
  }
  const { code, stderr } = await project.run(["sh", "-c", git]);
  if (code !== 0) throw new Error(stderr);
  const { stdout } = await project.run(["find", "..", "-name", ".opencode", "-type", "d"]);
  const dotFolders = stdout.trim().split("\n");
  for (const folder of [...dotFolders, ...homes]) await skipPluginInstall(project.path(folder));
}

function idOf(root: string): string {
  return root === "" ? "root" : root.replace("~", "home").replace("..", "above").replace(/\W+/g, "-");
}

function configOf(root: string): object {
  const named = { description: `At opencode.json of ${root}` };
  const command = { ...named, template: "x" };
  const own = `own-json-${idOf(root)}`;
  return { agent: { [own]: named, "same-json": named }, command: { [own]: command, "same-json": command } };
}

/** What was planted, as one line each: its type, name and file. Built-ins are left out. */
function plantedIn(lines: Listing): string[] {
  const found = lines.filter(({ description }) => description.includes("At "));
  return found.map(({ type, name, description }) => `${type} ${name}: ${description}`).sort();
}

/** The same of our view, for a project that starts in `cwd`. */
async function ours(tool: ToolName, project: Project, { cwd, env }: Start): Promise<string[]> {
  const registry = await initializeWorkflowsSDK({
    ...{ projectPath: cwd ?? project.dir, userPath: project.home },
    env: { ...project.env, ...env },
  });
  const view = viewAs(tool, registry.entries());
  expect(view.fatal).toEqual([]);
  const entries = entriesOf(view).map(({ type, name, description, entity }) => ({
    type: tool === "claude" && type !== "agent" ? ("slash" as const) : type,
    description: tool === "claude" && type !== "agent" ? `${description} (${entity.source.location})` : description,
    name,
    hint: "",
  }));
  return plantedIn(entries);
}

type List = (project: Project, start: Start) => Promise<Listing>;

async function agrees(tool: ToolName, layout: Layout, list: List): Promise<void> {
  await using project = await tmpProject({ git: false });
  await plant(project, layout);
  for (const { cwd = "", env = {} } of layout.starts) {
    const variables = Object.entries(env).map(([name, value]) => [name, value.replace("~", project.home)]);
    const start = { cwd: project.path(cwd), env: Object.fromEntries(variables) as Record<string, string> };
    const theirs = plantedIn(await list(project, start));
    const where = `${cwd} ${JSON.stringify(env)}`;
    expect([where, ...(await ours(tool, project, start))]).toEqual([where, ...theirs]);
    // Nothing of this means anything if the tool found no files.
    expect(theirs.length).toBeGreaterThan(2);
  }
}

describe.each(["claude", "copilot"] as const)("%s", (tool) => {
  const host = heavyHost(tool);
  if (!host.available) console.warn(`skipped: what ${tool} lists in other folders: ${host.reason}`);

  test.skipIf(!host.available).each(layouts.map((layout) => [layout.name, layout] as const))(
    "%s",
    async (_, layout) => {
      await agrees(tool, layout, tool === "claude" ? listedByClaude : listedByCopilot);
    },
  );
});

describe("opencode", () => {
  test.each(layouts.map((layout) => [layout.name, layout] as const))("%s", async (_, layout) => {
    // One server answers for many folders, but has one environment.
    const servers = new Map<string, ReturnType<typeof opencodeServe>>();
    try {
      await agrees("opencode", layout, async (project, { cwd = project.dir, env = {} }) => {
        const key = JSON.stringify(Object.entries(env).filter(([name]) => /^(?:XDG|OPENCODE)_/.test(name)));
        servers.set(key, servers.get(key) ?? opencodeServe(project, { env }));
        const { url } = (await servers.get(key)) as { readonly url: string };
        const answer = await listedByOpencode(url, project, cwd);
        if (answer.kind === "failed") throw new Error(answer.error);
        return answer.lines;
      });
    } finally {
      for (const server of servers.values()) await (await server)[Symbol.asyncDispose]();
    }
  });
});

test("a link to a package leads to the folders above the package, not to those above the link", async () => {
  await using project = await tmpProject({ files: { ".claude/agents/a.md": "---\nname: a\ndescription: A\n---\n" } });
  await project.write("packages/app/file", "");
  await symlink(project.path("packages/app"), project.path("~/link"));
  const { stdout } = await project.run([
    "sh",
    "-c",
    `cd ~/link && "$0" -e 'console.log(process.cwd())'`,
    process.execPath,
  ]);
  expect(relative(project.dir, stdout.trim())).toBe("packages/app");
});

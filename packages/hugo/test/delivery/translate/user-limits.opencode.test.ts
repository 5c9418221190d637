// Claude's agents, translated for six users, in the real OpenCode: none may do what its user's own permissions do not allow.
// The shapes of public collections are below. With CLAUDE_AGENTS=<folder>, every agent of a real collection is tried as well.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { decisionsOf, type PermissionCall, permissionProbe } from "@atomic/testing/opencode/decisions";
import { skipPluginInstall } from "@atomic/testing/opencode/plugin-install";
import type { OpencodeServer } from "@atomic/testing/opencode/server";
import { type Project, tmpProject } from "@atomic/testing/project";
import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { type Permission, width } from "@atomic/workflows/internal/permission/rules";
import { deliverPlugin } from "./deliver.ts";

setDefaultTimeout(1_800_000);

const users: Readonly<Record<string, Permission>> = {
  careful: { bash: "ask", edit: "ask", webfetch: "deny" },
  "with-patterns": {
    bash: { "*": "ask", "git *": "allow", "git push *": "deny" },
    read: { "*": "allow", "secrets/*": "deny" },
  },
  "asks-always": { "*": "ask", read: "allow" },
  closed: { "*": "deny", grep: "allow", glob: "allow", "github_*": "ask" },
  "one-thing": {
    task: { "*": "deny", general: "ask" },
    websearch: "ask",
    external_directory: "deny",
    "*_delete": "deny",
  },
  // A key like `42` comes first in the object that OpenCode makes of a config or of frontmatter.
  numbers: { bash: "ask", "*": { "42": "deny" }, task: { "*": "ask", "7": "deny" } },
};

const toolLists = [
  "Read, Write, Edit, Bash, Glob, Grep",
  "Read, Write, Edit, Glob, Grep, WebFetch, WebSearch",
  "Read, Grep, Glob",
  "Bash, Read, Edit",
  "Read, Glob, Grep, Bash, Agent, TaskList, SendMessage",
  "Read, WebFetch, WebSearch, mcp__github__search, mcp__linear",
  "Bash(git:*), Read(src/**), Edit",
  "[]",
];
const shapes = Object.fromEntries([
  ...toolLists.map((tools, i) => [`shape-${i}`, `tools: ${tools}\n`] as const),
  ["shape-denied", "disallowedTools: Write, WebFetch\n"],
  ["shape-free", ""],
]);

const calls: readonly PermissionCall[] = [
  ...["git", "git push", "git push origin", "git status", "rm x", "ls", "ls > x", "42"].map(
    (each) => ["bash", each] as const,
  ),
  ...["src/a.ts", "README.md", "secrets/key", ".env"].flatMap((path) => [
    ["edit", path] as const,
    ["read", path] as const,
  ]),
  ...["general", "other", "7", "42"].map((each) => ["task", each] as const),
  ...["glob", "grep", "list", "todowrite", "skill"].map((name) => [name, "*"] as const),
  ...["webfetch", "websearch"].map((name) => [name, "https://a.org"] as const),
  ...["github_search", "github_delete", "linear_x", "other_tool"].map((name) => [name, "*"] as const),
  ["external_directory", "/etc/x"],
];

interface Outcome {
  /** How many agents were translated, summed over the users. */
  agents: number;
  decisions: number;
  readonly wider: string[];
}

const resources = new AsyncDisposableStack();
let model: ModelServer;
let project: Project;
let server: OpencodeServer;

beforeAll(async () => {
  project = resources.use(await tmpProject());
  model = resources.use(await modelServer());
  server = resources.use(await opencodeServe(project, { model, plugins: [permissionProbe] }));
});

afterAll(async () => {
  await resources.disposeAsync();
});

/** A folder with a user's permissions and agents, for the one server. */
async function folderOf(name: string, permission: Permission, files: ReadonlyMap<string, Uint8Array>): Promise<string> {
  await project.write(`${name}/opencode.json`, JSON.stringify({ permission }));
  for (const [path, bytes] of files) await project.write(`${name}/.opencode/${path}`, bytes);
  await skipPluginInstall(project.path(`${name}/.opencode`));
  return project.path(name);
}

/** Agents with the same rules are decided about once, after OpenCode itself has said that they are the same. */
async function tryAll(batch: string, sources: Readonly<Record<string, string>>): Promise<Outcome> {
  const outcome: Outcome = { agents: 0, decisions: 0, wider: [] };
  for (const [user, permission] of Object.entries(users)) {
    const { files } = deliverPlugin(sources, { limit: permission });
    const agents = [...files].filter(([path]) => path.startsWith("agents/"));
    const copied = new Map(agents.map(([path, { bytes }]) => [path, bytes]));
    copied.set("agents/the-user.md", Buffer.from("---\ndescription: What the user allows\n---\nBody\n"));
    const directory = await folderOf(`${batch}-${user}`, permission, copied);
    const allowed = await decisionsOf(server, model, "the-user", calls, { directory });
    for (const names of (await sameRules(directory)).values()) {
      const own = names.filter((name) => files.has(`agents/${name}.md`));
      if (own[0] === undefined) continue;
      const decided = await decisionsOf(server, model, own[0], calls, { directory });
      outcome.agents += own.length;
      outcome.decisions += own.length * calls.length;
      for (const [i, call] of calls.entries()) {
        const [is, most] = [decided[i]!, allowed[i]!];
        if (width[is] > width[most])
          outcome.wider.push(`${user}: ${own.join(", ")}: ${call.join(" ")} is ${is}, not ${most}`);
      }
    }
    expect(outcome.agents % agents.length).toBe(0);
  }
  return outcome;
}

async function sameRules(directory: string): Promise<Map<string, string[]>> {
  const { data } = await server.clientFor(directory).app.agents({}, { throwOnError: true });
  const groups = new Map<string, string[]>();
  for (const { name, permission } of data as { name: string; permission: unknown }[]) {
    const rules = JSON.stringify(permission);
    groups.set(rules, [...(groups.get(rules) ?? []), name]);
  }
  return groups;
}

const agentFile = (name: string, keys: string): string => `---\nname: ${name}\ndescription: Works\n${keys}---\nBody\n`;

test("no translated agent may do more than its user allows", async () => {
  const sources = Object.entries(shapes).map(([name, keys]) => [`agents/${name}.md`, agentFile(name, keys)]);
  const { agents, wider } = await tryAll("shapes", Object.fromEntries(sources));
  expect(wider).toEqual([]);
  expect(agents).toBeGreaterThanOrEqual(6 * 9);
});

test("the comparison would notice an agent that is not held to its user", async () => {
  const free = agentFile("free", "tools: Bash\n");
  const { files } = deliverPlugin({ "agents/free.md": free });
  const copied = new Map([...files].map(([path, { bytes }]) => [path, bytes]));
  const directory = await folderOf("control", users.careful!, copied);
  expect(await decisionsOf(server, model, "free", [["bash", "rm x"]], { directory })).toEqual(["allow"]);
});

const folder = process.env.CLAUDE_AGENTS;
if (folder === undefined) console.warn("skipped: a real collection of agents: CLAUDE_AGENTS names no folder of one");

test.skipIf(folder === undefined)("no agent of a real collection may do more than its user allows", async () => {
  const sources = collected(folder!);
  expect(Object.keys(sources).length).toBeGreaterThanOrEqual(150);
  const { agents, decisions, wider } = await tryAll("real", sources);
  console.log(
    `${Object.keys(sources).length} agents, ${agents} translations, ${decisions} decisions: ${wider.length} wider`,
  );
  expect(wider).toEqual([]);
});

/** Every Markdown file that says which tools an agent may use, under a name of its own. */
function collected(root: string): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .sort();
  const found: Record<string, string> = {};
  for (const path of paths) {
    const text = readFileSync(join(root, path), "utf8");
    const { values, complete } = parseFrontmatter(text);
    if (!complete || typeof values.name !== "string" || (values.tools ?? values.disallowedTools) === undefined)
      continue;
    const name = `${basename(path, ".md")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")}-${Object.keys(found).length}`;
    found[`agents/${name}.md`] = text.replace(/^name:.*$/m, `name: ${name}`);
  }
  return found;
}

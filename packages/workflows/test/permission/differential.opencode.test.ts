// Our decisions beside those of the real OpenCode, on generated rule sets and calls. A start is dear, so one server decides
// about all of them; nothing is executed.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { homedir } from "node:os";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { decisionsOf, type PermissionCall, permissionProbe } from "@atomic/testing/opencode/decisions";
import { type Project, tmpProject } from "@atomic/testing/project";
import fc from "fast-check";
import { initializeWorkflowsSDK } from "../../src/entities/initialize.ts";
import { decidePermission } from "../../src/hosts/permission-policy.ts";
import { decide } from "../../src/permission/decide.ts";
import { inheritedRules, mergeGeneralKeys, mergePermission } from "../../src/permission/layers.ts";
import {
  type Action,
  agentPermission,
  type Permission,
  type PermissionRule,
  rulesOf,
  width,
} from "../../src/permission/rules.ts";

setDefaultTimeout(300_000);

const actions = fc.constantFrom<Action>("allow", "ask", "deny");
const names = fc.constantFrom(
  ...["bash", "bash", "bash", "edit", "edit", "read", "task", "skill", "mine_tool", "webfetch", "*", "*"],
  ...["e*", "*t", "?ash", "web*", "mine_*", "Bash", "write", "*_*"],
);
const patterns = fc.constantFrom(
  ...["*", "*", "git *", "git push *", "git push", "git push*", "g?t *", "rm *", "rm ?", "*>*", "npm run test:*"],
  ...[
    "src/*",
    "src/**",
    "./src/*",
    "/src/*",
    "NOTES.md",
    "*.ts",
    "src\\*",
    "docs/a b *",
    "a.c",
    "GIT *",
    "general",
    "~/x/*",
    "$HOME/x/*",
    "** ",
    "*  *",
  ],
);
const byPattern = fc
  .uniqueArray(fc.tuple(patterns, actions), { selector: ([pattern]) => pattern, minLength: 1, maxLength: 6 })
  .map((entries) => Object.fromEntries(entries));
/** OpenCode accepts no patterns for some. */
const setting = (name: string) =>
  name === "webfetch" ? actions : fc.oneof({ weight: 2, arbitrary: actions }, { weight: 3, arbitrary: byPattern });
const entries = fc.uniqueArray(
  names.chain((name) => setting(name).map((value) => [name, value] as const)),
  { selector: ([name]) => name, maxLength: 6 },
);
const permission = fc.oneof({ weight: 9, arbitrary: entries.map((all) => Object.fromEntries(all)) }, actions);
const switches = fc
  .uniqueArray(fc.tuple(fc.constantFrom("bash", "write", "edit", "patch", "read", "*", "mine_*"), fc.boolean()), {
    selector: ([name]) => name,
    maxLength: 3,
  })
  .map((all) => Object.fromEntries(all));

interface Keys {
  readonly permission?: Permission | Action;
  readonly tools?: Readonly<Record<string, boolean>>;
}

const ruleSets: Keys[] = fc.sample(
  fc.record({ permission, tools: switches }, { requiredKeys: ["permission"] }).map(
    // Most agents have no switches.
    (keys) => (keys.tools !== undefined && Object.keys(keys.tools).length < 2 ? { permission: keys.permission } : keys),
  ) as fc.Arbitrary<Keys>,
  { seed: 38, numRuns: 80 },
);

const commands = [
  ...["git", "git push", "git push origin main", "git pushy", "gitk", "git status", "got x", "rm", "rm x", "rm xy"],
  ...["npm run test:unit", "npm run test", "npm run test unit", "ls > x", "GIT push", "a  b", "x \n y", "rm -rf $X"],
];
const paths = ["src/a.ts", "src/deep/b.ts", "src\\w.ts", "README.md", "docs/a b", "docs/a b c", "a.c", "abc"];
/** What OpenCode's own tools ask about is the path from the root of the repository, never the name alone. */
paths.push("NOTES.md", "docs/NOTES.md", "node_modules/x/NOTES.md", "docs/a.c", "lib/src/a.ts");
/** A `~` in a pattern is the home folder of the process that reads it: OpenCode's has another one than this. */
const inHome = (call: PermissionCall, home: string): PermissionCall => [call[0], call[1].replace(/^HOME/, home)];
const calls: readonly PermissionCall[] = [
  ...commands.map((command): PermissionCall => ["bash", command]),
  ...paths.flatMap((path): PermissionCall[] => [
    ["edit", path],
    ["read", path],
  ]),
  ["edit", "HOME/x/y"],
  ["read", "HOME/x/y"],
  ...["general", "other", "git push"].map((name): PermissionCall => ["task", name]),
  ...["tidy", "git"].map((name): PermissionCall => ["skill", name]),
  ["webfetch", "https://a.org/x"],
  ...["mine_tool", "mine", "other_tool", "github_push", "github_create_issue"].map(
    (name): PermissionCall => [name, "*"],
  ),
];

/** What holds for every agent, from the user's and the project's config. */
const general: readonly Keys[] = [
  { permission: { skill: { "*": "ask", tidy: "allow" }, task: { other: "deny" }, mine_tool: "ask" } },
  { tools: { websearch: false }, permission: { task: "ask", "other_*": { "*": "deny" } } },
];
/** These two change agents of OpenCode's own; the third is in two files. */
const builtin = ["plan", "explore", "general"];
const twice: readonly [Keys, Keys] = [
  { permission: { bash: "allow", "*": "allow", edit: { "src/*": "deny" } } },
  { permission: { "*": "deny", bash: "allow", edit: { "*.ts": "allow" } } },
];

/** One each for what a generator seldom hits: everything is closed but this. */
const opened: readonly Keys[] = [
  ...["NOTES.md", "./src/*", "/src/*", "src/*", "a.c", "*.ts"].flatMap((pattern) =>
    (["allow", "ask"] as const).map((action) => ({
      permission: { edit: { "*": "deny", [pattern]: action }, read: { "*": "deny", [pattern]: action } } as const,
    })),
  ),
  ...["*test*", "git *", "npm run *"].map((pattern) => ({
    permission: { bash: { "*": "deny", [pattern]: "ask" } } as const,
  })),
];
/** Tools of servers, some of them with their patterns. */
const ofServers: readonly Keys[] = [
  { permission: { "github_*": "deny" } },
  { permission: { "*": "allow", github_push: "ask" } },
  { permission: { "*": "ask", "git*": "allow", "github_c*": "deny" } },
  { permission: { "*": "deny", "github_*": "allow", "*_push": "ask" } },
  { permission: { github_push: { "*": "deny", x: "allow" }, github_create_issue: { "*": "deny", x: "ask" } } },
  { permission: { "*": "allow" }, tools: { "github_*": false } },
  { permission: { "*": "ask", "?ash": "allow", "b*": "ask" } },
  // What layering makes of a user's patterns for a wildcard.
  { permission: { "*": "allow", "github_*": "deny", "git*": { secret: "deny" } } },
  { permission: { "git*": "ask", "github_c*": "allow", "git**": { "*": "deny" }, "**": { "rm *": "deny" } } },
];
ruleSets.push(...opened, ...ofServers);

const agentNames = [...ruleSets.map((_, i) => `r${i}`), ...builtin, "twice"];
const markdown = ({ permission: rules, tools }: Keys): string =>
  [
    "---\ndescription: Random",
    ...(tools === undefined ? [] : [`tools: ${JSON.stringify(tools)}`]),
    ...(rules === undefined ? [] : [`permission: ${JSON.stringify(rules)}`]),
    "---\nBody\n",
  ].join("\n");

const resources = new AsyncDisposableStack();
const real = new Map<string, readonly Action[]>();
let project: Project;

beforeAll(async () => {
  const inFiles = ruleSets.flatMap((keys, i) => (i % 2 === 0 ? [[`.opencode/agent/r${i}.md`, markdown(keys)]] : []));
  const inConfig = ruleSets.flatMap((keys, i) => (i % 2 === 0 ? [] : [[`r${i}`, { description: "Random", ...keys }]]));
  const native = builtin.map((name) => [name, { description: "Changed" }]);
  const agent = { ...Object.fromEntries([...inConfig, ...native]), twice: { description: "Two", ...twice[0] } };
  project = resources.use(
    await tmpProject({
      files: {
        ...Object.fromEntries(inFiles),
        ".opencode/agent/twice.md": markdown(twice[1]),
        "opencode.json": JSON.stringify({ ...general[1], agent }),
      },
    }),
  );
  const model = resources.use(await modelServer());
  const server = resources.use(
    await opencodeServe(project, { model, plugins: [permissionProbe], config: general[0] as object }),
  );
  const asked = calls.map((call) => inHome(call, project.home));
  for (const name of agentNames) real.set(name, await decisionsOf(server, model, name, asked));
});

afterAll(async () => {
  await resources.disposeAsync();
});

interface Difference {
  readonly agent: string;
  readonly call: PermissionCall;
  readonly opencode: Action;
  readonly ours: Action;
}

function compare(ours: (agent: string, call: PermissionCall) => Action): { wider: Difference[]; narrower: number } {
  const wider: Difference[] = [];
  let narrower = 0;
  for (const agent of agentNames) {
    for (const [i, call] of calls.entries()) {
      const [opencode, own] = [real.get(agent)![i]!, ours(agent, inHome(call, homedir()))];
      if (width[own] > width[opencode]) wider.push({ agent, call, opencode, ours: own });
      if (width[own] < width[opencode]) narrower += 1;
    }
  }
  return { wider, narrower };
}

function rulesFor(agent: string): PermissionRule[] {
  const own = agent === "twice" ? twice : [ruleSets[Number(agent.slice(1))] ?? {}];
  const merged = own.map(agentPermission).reduce(mergePermission, {});
  const above = mergeGeneralKeys(
    general.map((keys) => ({ ...keys, permission: agentPermission({ permission: keys.permission }) })),
  );
  return [...inheritedRules(agent, above), ...rulesOf(merged)];
}

test("our module decides every call as the real OpenCode does", () => {
  const { wider, narrower } = compare((agent, [permission, subject]) => decide(rulesFor(agent), permission, subject));
  expect(agentNames.length * calls.length).toBeGreaterThanOrEqual(3_000);
  expect({ wider, narrower }).toEqual({ wider: [], narrower: 0 });
});

/** As other hosts call the tools of servers. */
const callsOfServers = new Set(["mine_tool", "other_tool", "github_push", "github_create_issue"]);

test.each([
  ["by the name that OpenCode has for the tool", (tool: string) => tool],
  ["by the name that other hosts have", (tool: string) => (callsOfServers.has(tool) ? tool.replace("_", "/") : tool)],
])("no agent's call on another host is allowed more than OpenCode allows, %s", async (_name, toolOf) => {
  const registry = await initializeWorkflowsSDK({ projectPath: project.dir, userPath: project.home });
  const { wider, narrower } = compare((agent, [tool, subject]) => {
    const file =
      registry.get("agent", `opencode:project/${agent}`)?.restrictions ?? registry.getAgent(agent)?.restrictions;
    return decidePermission(
      { user: "allow", file },
      { tool: toolOf(tool), detail: subject, folder: project.dir, root: project.dir },
    );
  });
  console.log(`${agentNames.length * calls.length} decisions for other hosts: ${narrower} narrower than OpenCode's`);
  expect(wider).toEqual([]);
});

/** How wildcards were matched before: a final ` *` had to be there, and backslashes were themselves. */
function oldMatch(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "s").test(text);
}

test("the comparison would notice a matcher that is not OpenCode's", () => {
  const { wider } = compare((agent, [permission, subject]) => {
    const rule = rulesFor(agent).findLast(
      (each) => oldMatch(each.permission, permission) && oldMatch(each.pattern, subject),
    );
    return rule?.action ?? "allow";
  });
  expect(wider.some(({ call }) => call[0] === "bash" && call[1] === "git push")).toBe(true);
});

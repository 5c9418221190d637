// What may be done with an agent's tools, asked of Claude's file on the one side and of OpenCode's rules on the other.
// Nothing here comes from the translation: it is written down once more, use by use.
import { combineTools } from "@atomic/workflows/internal/entities/normalize/restrictions";
import { normalizeDisallowedTools, normalizeTools } from "@atomic/workflows/internal/entities/normalize/tools";
import fc from "fast-check";

export interface Rule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: string;
}

/** What OpenCode asks its rules: may this be done with that? */
export type Use = readonly [permission: string, argument: string];

const paths = ["README.md", "src/a.ts", "src/deep/b.ts", "docs/x.md", "docs/deep/y.md", ".env", "notes/n.ipynb"];
const commands = [
  "git",
  "git status",
  "git status -s",
  "git push",
  "gitk",
  "npm run test",
  "npm run tests",
  "rm -rf x",
];

const uses: readonly Use[] = [
  ...paths.flatMap((path): Use[] => [
    ["read", path],
    ["edit", path],
  ]),
  ...[...commands, "git status > x", "rm x > y"].map((command): Use => ["bash", command]),
  ...["glob", "grep", "list", "lsp", "todowrite", "question", "websearch"].map((name): Use => [name, "*"]),
  ["webfetch", "https://a.org/"],
  ...["worker", "general", "other"].map((name): Use => ["task", name]),
  ...["tidy", "other"].map((name): Use => ["skill", name]),
  ...["github_get_issue", "github_delete", "github_x_y", "linear_get", "a_tool", "tool"].map(
    (name): Use => [name, "*"],
  ),
  ["external_directory", "/etc/passwd"],
  ["doom_loop", "*"],
];

/** As OpenCode has them before those of the agent. */
export const builtinRules: readonly Rule[] = [
  { permission: "*", pattern: "*", action: "allow" },
  { permission: "doom_loop", pattern: "*", action: "ask" },
  { permission: "external_directory", pattern: "*", action: "ask" },
  { permission: "question", pattern: "*", action: "deny" },
  { permission: "read", pattern: "*.env", action: "ask" },
];

export function actionOf(rules: readonly Rule[], [permission, argument]: Use): string {
  const rule = rules.findLast((each) => matches(each.permission, permission) && matches(each.pattern, argument));
  return rule?.action ?? "ask";
}

/** As OpenCode matches: `*` is anything, and ` *` at the end may be missing. */
function matches(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source.replace(/ \.\*$/, "( .*)?")}$`, "s").test(text);
}

export interface ClaudeTools {
  readonly tools?: string | readonly string[] | undefined;
  readonly disallowedTools?: string | readonly string[] | undefined;
  readonly permissionMode?: string | undefined;
}

/** Whether an agent of Claude Code with this frontmatter could do that, if need be after asking. */
function claudeAllows({ tools, disallowedTools, permissionMode }: ClaudeTools, use: Use): boolean {
  const normal = combineTools(
    normalizeTools(tools, { provider: "claude" }),
    normalizeDisallowedTools(disallowedTools, { provider: "claude" }),
  );
  const [permission, argument] = use;
  if (normal.kind === "unreadable") return false;
  if (permission === "task" && tools !== undefined && !maySpawn({ tools, disallowedTools, permissionMode }))
    return false;
  if (permissionMode === "plan" && (permission === "edit" || permission === "bash")) return false;
  const { allow, deny = [] } = normal.kind === "restricted" ? normal.restrictions : {};
  const isDenied = (tool: string): boolean => deny.some((rule) => isTool(rule.tool, tool));
  if (argument.endsWith(".ipynb") && isDenied(`notebook${permission}`)) return false;
  return toolsFor(use).some((tool) => {
    if (isDenied(tool)) return false;
    const isListed = (rule: { tool: string; pattern?: string }): boolean =>
      isTool(rule.tool, tool) && (rule.pattern === undefined || claudeMatches(tool, rule.pattern, argument));
    if (allow === undefined || allow.some(isListed)) return true;
    // To send the output of an allowed command to a file is to write that file.
    const [command = "", redirect] = argument.split(" > ");
    const isWritable = allow.some((rule) => ["edit", "write"].includes(rule.tool) && rule.pattern === undefined);
    return (
      tool === "bash" &&
      redirect !== undefined &&
      isWritable &&
      allow.some((rule) => rule.tool === "bash" && claudeMatches("bash", rule.pattern ?? "*", command))
    );
  });
}

/** An agent that can start one without limits has none itself, so only an agent without limits may. */
function maySpawn(given: ClaudeTools): boolean {
  const hard: readonly Use[] = [
    ["edit", "x/y.ipynb"],
    ["edit", "x/y.ts"],
    ["bash", "rm -rf /"],
  ];
  return hard.every((use) => claudeAllows(given, use));
}

/** The tools of Claude Code that give the same power, under the names that our rules have for them. */
function toolsFor([permission, argument]: Use): string[] {
  const notebook = argument.endsWith(".ipynb") ? [`notebook${permission}`] : [];
  if (permission === "edit") return ["edit", "write", "patch", ...notebook];
  if (permission === "read") return ["read", ...notebook];
  const [, server, tool] = /^(github|linear|a)_(.*)$/.exec(permission) ?? [];
  return [server === undefined ? permission : `${server}/${tool}`];
}

function isTool(pattern: string, tool: string): boolean {
  return pattern === tool || (pattern.endsWith("/*") && tool.startsWith(pattern.slice(0, -1)));
}

function claudeMatches(tool: string, pattern: string, argument: string): boolean {
  if (["*", "**", ":*"].includes(pattern)) return true;
  if (tool === "bash") {
    if (argument.includes(">")) return false;
    const prefix = pattern.replace(/(?::\*| \*)$/, "");
    if (prefix !== pattern) return argument === prefix || argument.startsWith(`${prefix} `);
    return new RegExp(`^${pattern.split("*").map(quoted).join(".*")}$`).test(argument);
  }
  if (tool === "task" || tool === "skill") {
    return pattern.split(",").some((name) => name.trim().replace("general-purpose", "general") === argument);
  }
  return ["read", "edit", "write", "patch"].includes(tool) && pathMatches(pattern, argument);
}

/** As .gitignore: a `*` ends at a slash, and a pattern without one is about names in every folder. */
function pathMatches(pattern: string, path: string): boolean {
  const isAnywhere = !pattern.slice(0, -1).includes("/");
  const parts = pattern.replace(/^\.?\//, "").split(/(\*\*\/?|\*)/);
  const source = parts.map((part) => (part.startsWith("**") ? ".*" : part === "*" ? "[^/]*" : quoted(part))).join("");
  return new RegExp(`^${isAnywhere ? "(?:.*/)?" : ""}${source}(?:/.*)?$`).test(path);
}

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

const plain = fc.constantFrom(
  ...[
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "Bash",
    "Glob",
    "Grep",
    "LS",
    "LSP",
    "Task",
  ],
  ...[
    "Agent",
    "Skill",
    "WebFetch",
    "WebSearch",
    "TodoWrite",
    "TodoRead",
    "AskUserQuestion",
    "KillShell",
    "read",
    "BASH",
  ],
  ...["mcp__github", "mcp__github__get_issue", "mcp__github__*", "mcp__linear__get", "mcp__external__directory"],
  ...["mcp__plan", "mcp__doom__loop", "PowerShell", "ExitPlanMode", "tool"],
);
const limited = fc.constantFrom(
  ...["Bash(git:*)", "Bash(git status:*)", "Bash(git *)", "Bash(git*)", "Bash(npm run test)", "Bash(*)", "Bash(:*)"],
  ...[
    "Bash(rm -rf x)",
    "Read(src/**)",
    "Read(./docs/**)",
    "Read(*.md)",
    "Read(docs/**/*.md)",
    "Edit(src/**)",
    "Read(**)",
  ],
  ...["Write(docs/x.md)", "Edit(/src/a.ts)", "Write(**/*.md)", "Task(worker)", "Agent(worker, general-purpose)"],
  ...["Skill(tidy)"],
);
/** OpenCode has no rule that is as narrow. */
const untranslatable = fc.constantFrom(
  ...["WebFetch(domain:a.org)", "Read(src/*.ts)", "Read(./*.md)", "Read(//etc/**)", "Read(~/x)", "Edit(../x/**)"],
  ...["Bash(ls ?)", "Bash(~/x:*)", "Glob(src/**)", "mcp__github__get_issue(x)", "Read*", "Bash()", "Bash(git"],
);
const entry = fc.oneof(
  { weight: 6, arbitrary: plain },
  { weight: 4, arbitrary: limited },
  { weight: 1, arbitrary: untranslatable },
);
const list = fc
  .tuple(fc.array(entry, { maxLength: 6 }), fc.boolean())
  .map(([entries, asText]) => (asText ? entries.join(", ") : entries));

/** The restricting keys of random agents. */
export const claudeTools: fc.Arbitrary<ClaudeTools> = fc.record(
  { tools: list, disallowedTools: list, permissionMode: fc.constantFrom("plan", "default", "acceptEdits") },
  { requiredKeys: [] },
);

/** Why OpenCode's rules are wider than Claude's file; undefined if they are not. */
export function widening(given: ClaudeTools, rules: readonly Rule[]): string | undefined {
  const wider = uses.find((use) => {
    const action = actionOf(rules, use);
    if (action === "deny" || claudeAllows(given, use)) return false;
    // A person decides about what leaves the project or goes in circles, and where OpenCode cannot tell servers apart.
    return action === "allow" || !/^(?:external_directory|doom_loop|[a-z]+_\w+)$/.test(use[0]);
  });
  return wider && `${wider.join(" ")} is ${actionOf(rules, wider)} in OpenCode`;
}

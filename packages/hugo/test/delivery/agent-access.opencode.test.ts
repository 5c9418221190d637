// What the report says of random agents against what the real OpenCode makes of them. A start is dear, so there is one
// project for all of them.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import fc from "fast-check";
import { describeAccess, readAgentAccess, widenedAccess } from "../../src/delivery/translate/agent-access.ts";
import { actionOf, type Rule, type Use } from "./translate/uses-of-tools.ts";

setDefaultTimeout(180_000);

const names = fc.constantFrom(
  ...["edit", "Edit", "EDIT", "write", "Write", "patch", "multiedit", "apply_patch", "bash", "Bash", "webfetch"],
  ...["WebFetch", "task", "Task", "read", "*", "*", "e*", "*t", "b*", "*h", "?ash", "web*", "mine_tool", "mine_*"],
);
const actions = fc.constantFrom("allow", "ask", "deny");
const patterns = fc.dictionary(fc.constantFrom("*", "git *", "git status", "src/*", "general", "*.ts"), actions, {
  maxKeys: 4,
});
/** OpenCode knows no patterns for the others. */
const settings = fc.oneof({ weight: 3, arbitrary: actions }, { weight: 1, arbitrary: patterns });
const tools = fc.uniqueArray(fc.tuple(names, fc.boolean()), { selector: ([name]) => name, maxLength: 6 });
const permission = fc
  .uniqueArray(fc.tuple(names, settings), { selector: ([name]) => name, maxLength: 6 })
  .map((entries) => entries.map(([name, setting]) => [name, name === "webfetch" ? "deny" : setting] as const));

type Entries = readonly (readonly [string, unknown])[];
interface Matter {
  readonly tools?: Entries;
  readonly permission?: Entries | string;
}

const matters: readonly Matter[] = fc.sample(
  fc.record({ tools, permission: fc.oneof({ weight: 6, arbitrary: permission }, actions) }, { requiredKeys: [] }),
  { seed: 11, numRuns: 300 },
);

const entry = ([name, value]: readonly [string, unknown]): string =>
  `  ${JSON.stringify(name)}: ${JSON.stringify(value)}\n`;
const block = (key: string, value: Entries | string | undefined): string => {
  if (value === undefined || value.length === 0) return "";
  return typeof value === "string" ? `${key}: ${value}\n` : `${key}:\n${value.map(entry).join("")}`;
};
const textOf = ({ tools: switches, permission: rules }: Matter): string =>
  `---\ndescription: Random\n${block("tools", switches)}${block("permission", rules)}---\nBody\n`;

const uses: readonly Use[] = [
  ["edit", "src/a.ts"],
  ["edit", "README.md"],
  ["bash", "git status"],
  ["bash", "git push"],
  ["bash", "rm x"],
  ["webfetch", "https://a.org"],
  ["task", "general"],
  ["task", "other"],
  ["mine_tool", "*"],
  ["read", "README.md"],
  ["read", ".env"],
  ["read", "a.env.local"],
  ["read", ".env.example"],
  ["external_directory", "/etc/*"],
  ["doom_loop", "*"],
  ["question", "*"],
  ["plan_enter", "*"],
  ["plan_exit", "*"],
  ["todowrite", "*"],
  ["skill", "x"],
];

/** Each has something that random agents rarely have, or the name of one of OpenCode's own agents. */
const chosen: Readonly<Record<string, string>> = {
  plain: "",
  asking: "permission:\n  bash: ask\n  edit: deny\n",
  outside: "permission:\n  bash: ask\n  external_directory: allow\n  doom_loop: allow\n",
  reading: "permission:\n  read: allow\n",
  secretive: 'permission:\n  read:\n    "secrets/*": deny\n',
  opened: 'permission:\n  "*": allow\n  bash: ask\n',
  reopened: 'permission:\n  bash: ask\n  "*": allow\n',
  closed: 'permission:\n  "*": deny\n  read: allow\n',
  talking: "permission:\n  question: allow\n  plan_exit: allow\n",
  planning: 'permission:\n  "plan_*": allow\n',
  patterned: 'permission:\n  "*":\n    "git *": deny\n',
  switched: 'tools:\n  "*": true\n  bash: false\n',
  kept: "disable: false\npermission:\n  edit: deny\n",
  build: "permission:\n  bash: ask\n",
  plan: "permission:\n  bash: ask\n",
  general: "",
  explore: "permission:\n  edit: ask\n",
};
const disabled = "disable: true\npermission:\n  edit: deny\n";
const chosenText = (matter: string): string => `---\ndescription: Chosen\n${matter}---\nBody\n`;
const WIDTH: Readonly<Record<string, number>> = { no: 0, deny: 0, asks: 1, ask: 1, yes: 2, allow: 2 };

const DEFAULTS = "OpenCode's defaults";

/** What a reader of the report takes from it, who can look up what OpenCode's defaults are. */
function reportedAccess(report: string, use: Use): string {
  const [permission, argument] = use;
  const parts = new Map(
    report.split("; ").map((part) => [part.slice(0, part.indexOf(": ")), part.slice(part.indexOf(": ") + 2)]),
  );
  const setting =
    parts.get(permission) ??
    wildcardIn(parts, permission) ??
    parts.get("everything else") ??
    parts.get("everything") ??
    "";
  if (setting === DEFAULTS) return actionOf(real.get("plain")!, use);
  const [general = "", ...exceptions] = setting.split(", ");
  const rules = exceptions.map((each): Rule => {
    const [, pattern = "", action = ""] = /^"(.*)" (\w+)$/.exec(each) ?? [];
    return { permission: "*", pattern, action };
  });
  return actionOf([{ permission: "*", pattern: "*", action: general }, ...rules], ["x", argument]);
}

/** Only for unknown tools: OpenCode's own are reported by name. */
function wildcardIn(parts: ReadonlyMap<string, string>, permission: string): string | undefined {
  return permission.startsWith("mine") ? parts.get("mine_*") : undefined;
}

const resources = new AsyncDisposableStack();
const real = new Map<string, readonly Rule[]>();

beforeAll(async () => {
  const files = Object.fromEntries([
    ...matters.map((matter, i) => [`.opencode/agents/r${i}.md`, textOf(matter)]),
    ...Object.entries(chosen).map(([name, matter]) => [`.opencode/agents/${name}.md`, chosenText(matter)]),
    [".opencode/agents/off.md", chosenText(disabled)],
  ]);
  const project = resources.use(await tmpProject({ files }));
  const model = resources.use(await modelServer());
  const server = resources.use(await opencodeServe(project, { model }));
  const { data } = await server.client.app.agents({}, { throwOnError: true });
  for (const { name, permission: rules } of data as { name: string; permission: Rule[] }[]) real.set(name, rules);
});

afterAll(async () => {
  await resources.disposeAsync();
});

function reality(i: number): readonly Rule[] {
  const rules = real.get(`r${i}`);
  if (rules === undefined) throw new Error(`OpenCode has no agent for\n${textOf(matters[i]!)}`);
  return rules;
}

test("an agent's rules decide as OpenCode's do, with OpenCode's defaults in front of them", () => {
  const different = Object.entries(chosen).flatMap(([name, matter]) => {
    const { defaults, own } = readAgentAccess(chosenText(matter), name);
    return uses
      .map((use) => ({ name, use, ours: actionOf([...defaults, ...own], use), real: actionOf(real.get(name)!, use) }))
      .filter(({ ours, real }) => ours !== real);
  });
  expect(different).toEqual([]);
});

test("a disabled agent, which OpenCode does not have, may do nothing", () => {
  expect(real.has("off")).toBe(false);
  const off = readAgentAccess(chosenText(disabled), "off");
  expect(describeAccess(off)).toBe("everything: no");
  expect(widenedAccess(off, readAgentAccess(chosenText(disabled.replace("true", "false")), "off"))).not.toEqual([]);
});

test("the report is never narrower than what OpenCode allows an agent", () => {
  for (const [i, matter] of matters.entries()) {
    const report = describeAccess(readAgentAccess(textOf(matter), `r${i}`));
    const narrower = uses.filter((use) => WIDTH[reportedAccess(report, use)]! < WIDTH[actionOf(reality(i), use)]!);
    expect({ text: textOf(matter), report, narrower }).toEqual({ text: textOf(matter), report, narrower: [] });
  }
});

test("no update that lets an agent do more goes through quietly, and no other is stopped", () => {
  const some = matters.slice(0, 60).map((matter, i) => ({ text: textOf(matter), rules: reality(i) }));
  let quiet = 0;
  const noisy: { before: string; after: string; said: string[] }[] = [];
  for (const before of some) {
    for (const after of some) {
      const said = widenedAccess(readAgentAccess(before.text, "r"), readAgentAccess(after.text, "r"));
      const wider = uses.filter((use) => WIDTH[actionOf(after.rules, use)]! > WIDTH[actionOf(before.rules, use)]!);
      if (said.length === 0) {
        quiet += 1;
        expect({ before: before.text, after: after.text, wider }).toMatchObject({ wider: [] });
      } else if (wider.length === 0 && !otherwiseWider(before.rules, after.rules)) {
        noisy.push({ before: before.text, after: after.text, said });
      }
    }
  }
  // An agent beside itself is not wider, and many others are not either: to call everything wider would be no answer.
  expect(quiet).toBeGreaterThan(600);
  expect(noisy).toEqual([]);
});

/** Whether one lets more happen somewhere: tried with all that the rules of both could be about. */
function otherwiseWider(before: readonly Rule[], after: readonly Rule[]): boolean {
  const fill = (text: string): string[] => [text.replaceAll("*", "").trim(), text.replaceAll("*", "x"), text];
  const all = [...before, ...after];
  const named = [...new Set(all.map(({ permission }) => permission.replaceAll("?", "x")))];
  // `mine_*` and `*t` have `mine_t` in common.
  const common = named.flatMap((one) => named.map((other) => one.replaceAll("*", other.replaceAll("*", ""))));
  const permissions = new Set(["other", ...named.flatMap(fill), ...common]);
  const subjects = new Set(["other", ...all.flatMap(({ pattern }) => fill(pattern))]);
  return [...permissions, ...known].some((permission) =>
    [...subjects].some((subject) => {
      const use: Use = [permission, subject];
      return WIDTH[actionOf(after, use)]! > WIDTH[actionOf(before, use)]!;
    }),
  );
}

const known =
  "bash doom_loop edit external_directory glob grep list lsp plan_enter plan_exit question read skill task todowrite webfetch websearch".split(
    " ",
  );

// What an entered line says when it hands nothing over. What it hands over is tested with the real programs.
import { expect, test } from "bun:test";
import { typedText } from "@atomic/terminal/keys";
import { type Project, tmpProject } from "@atomic/testing/project";
import { type Entered, enterLine, type PromptSession } from "../../src/prompt/enter-line.ts";
import { helpText } from "../../src/prompt/line/help-text.ts";
import type { PromptHost } from "../../src/prompt/line/host-command.ts";
import { ownEntries } from "../../src/prompt/line/own-commands.ts";
import { catalogOf, type LeftOut } from "../../src/prompt/line/suggestions.ts";
import { loadCatalog } from "../../src/prompt/load-catalog.ts";
import { runsOf } from "../../src/runs/runs-folder.ts";
import { type AtomicOptions, contextIn } from "../atomic.ts";

const files = {
  ".claude/commands/limited.md": "---\ndescription: Only reads\nallowed-tools: Read\n---\nLook at $1\n",
  ".claude/agents/planner.md": "---\nname: planner\ndescription: Plans\n---\nPlan.\n",
  ".claude/commands/broken.md": "---\nallowed-tools: 7\n---\nx\n",
  ".claude/commands/help.md": "---\ndescription: Helps in its own way\n---\nHelp $1\n",
};

/** A session that only remembers what it is told. */
async function entered(
  project: Project,
  line: string,
  host: PromptHost = "opencode",
  { columns = 80, env = {} }: Pick<AtomicOptions, "columns" | "env"> = {},
) {
  const { context, written } = contextIn(project, { columns, typed: [], env });
  const loaded = await loadCatalog(context);
  const catalog = catalogOf(loaded.entries, new Map(), loaded.leftOut);
  const did: unknown[] = [];
  const session: PromptSession = {
    context,
    catalog,
    host,
    model: undefined,
    openRuns: [],
    expanded: undefined,
    readRuns: async () => undefined,
    readStarted: async () => undefined,
    projectRuns: () => runsOf(context, undefined),
    loaded: async () => loaded,
    finds: async (name) => catalog.find(name) !== undefined,
    print: (text) => void did.push(text),
    showWaiting: () => () => undefined,
    notify: (message) => void did.push(message),
    remember: async (record) => void did.push(record),
    offer: (text, values) => void did.push([text, values]),
    expand: () => undefined,
    lend: async (act) => await act(),
    begins: () => ({ started: () => undefined, refused: (message) => void did.push(message) }),
    attends: () => undefined,
    forgetTyped: () => undefined,
    clear: () => void did.push("clear"),
    exit: () => void did.push("exit"),
  };
  const [, name = "", args = ""] = /^\/(\S+)\s*(.*)$/.exec(line) ?? [];
  const entry = catalog.find(name);
  if (entry === undefined) throw new Error(`There is no ${name}.`);
  const effect: Entered = { kind: "run", entry, args, line };
  return { said: await enterLine(session, effect), did, written };
}

test.each<readonly [string, PromptHost, string]>([
  [
    "/limited src",
    "opencode",
    "OpenCode does not read the command limited, and would ignore the limits in its file. /host chooses another host.",
  ],
  [
    "/planner x",
    "opencode",
    "OpenCode does not have the agent planner: OpenCode does not look in .claude/agents. /host chooses another host.",
  ],
  ["/broken", "claude", "The command broken cannot be used: "],
  ["/host", "opencode", "Your tasks go to OpenCode. Switch with /host claude or /host copilot."],
  ["/host claud", "opencode", '"claud" is not one of opencode, claude, copilot.'],
  ["/model", "claude", "Claude Code chooses its own model. /model select changes that."],
  ["/model opsu", "claude", 'Claude Code has no model "opsu". Did you mean opus?'],
  ["/model list", "copilot", "Copilot does not list its models. /model <name> chooses one by its name."],
  ["/answer", "opencode", "No run has a question for you."],
  ["/answer calm-otter yes", "opencode", 'Unexpected argument "yes". Usage: /answer [run]'],
  ["/clear all", "opencode", 'Unexpected argument "all". Usage: /clear'],
  ["/attach", "opencode", "There is no open run."],
  ["/resume", "claude", "There is no run to resume. To resume a Claude Code session, type /resume <session>."],
  [
    "/compact",
    "opencode",
    "OpenCode compacts a session only from its own prompt: open it with `opencode --continue`, ",
  ],
  ["/run", "opencode", "Name a workflow: /run <workflow>."],
  [
    "/resume ses_1",
    "claude",
    "ses_1 is an OpenCode session, but your tasks go to Claude Code. Switch with /host opencode.",
  ],
  ["/help shwo", "opencode", "There is no /shwo. Did you mean /show? `/help` lists everything."],
  ["/help /shwo", "opencode", "There is no /shwo. Did you mean /show? `/help` lists everything."],
  ["/help /rally", "opencode", "There is no /rally. Did you mean /ralph? `/help` lists everything."],
])("%s on %s says %j", async (line, host, expected) => {
  await using project = await tmpProject({ git: false, files });
  expect((await entered(project, line, host)).said).toStartWith(expected);
});

test.each<readonly [string, PromptHost, unknown]>([
  ["/host claude", "opencode", { host: "claude" }],
  ["/model opus", "claude", { model: "opus", of: "claude" }],
  ["/model default", "claude", { model: "", of: "claude" }],
  ["/model gpt-5", "copilot", { model: "gpt-5", of: "copilot" }],
  ["/model claude-opus-4-5-20251101", "claude", { model: "claude-opus-4-5-20251101", of: "claude" }],
  ["/model select", "claude", ["/model ", ["opus", "sonnet", "haiku", "opusplan", "opus[1m]", "sonnet[1m]"]]],
  ["/model list", "claude", "  opus\n  sonnet\n  haiku\n  opusplan\n  opus[1m]\n  sonnet[1m]\n"],
  ["/clear", "opencode", "clear"],
  ["/quit", "opencode", "exit"],
  ["/help planner", "opencode", "/planner [task]\n  agent: Plans\n"],
  ["/help commit", "opencode", expect.stringMatching(/^\/commit \[message\] \| --amend\n {2}skill: /)],
  ["/help", "opencode", expect.stringMatching(/^Commands\n[\s\S]*\/model[\s\S]*\nKeys\n[\s\S]*1 agent/)],
])("%s on %s does %j", async (line, host, expected) => {
  await using project = await tmpProject({ git: false, files });
  expect((await entered(project, line, host)).did).toEqual([expected]);
});

test("a namesake of what the prompt line does itself is there by its whole name", async () => {
  await using project = await tmpProject({ git: false, files });
  const { context } = contextIn(project);
  const { entries } = await loadCatalog(context);
  const names = entries.map(({ name }) => name);
  expect(names).toContain("help");
  expect(names).toContain("claude:project/help");
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => /\s/.test(name))).toEqual([]);
});

test("a name that cannot be typed is not among them", async () => {
  const hostile = { ".claude/commands/e\x1b[31mred.md": "Hi\n", ".claude/commands/e\u202egpj.md": "Hi\n" };
  await using project = await tmpProject({ git: false, files: { ...hostile, ".claude/commands/easy.md": "Hi\n" } });
  const { entries } = await loadCatalog(contextIn(project).context);
  const names = entries.map(({ name }) => name);
  expect(names).toContain("easy");
  expect(names.filter((name) => typedText(name) !== name)).toEqual([]);
});

test.each<readonly [readonly string[], string]>([
  [["with space"], '\n1 entry is left out because its name contains a space: "with space".\n'],
  [
    ["e\x1b[31mred"],
    '\n1 entry is left out because its name contains characters that cannot be typed: "e\\x1b[31mred".\n',
  ],
  [
    ["a b", "c d", "e f", "g h"],
    '\n4 entries are left out because their names contain spaces: "a b", "c d", "e f" and 1 more.\n',
  ],
  [
    ["a b", "e\u202egpj"],
    '\n2 entries are left out because their names contain spaces or contain characters that cannot be typed: "a b" and "e\\u{202e}gpj".\n',
  ],
])("/help says that %j are left out", async (names, line) => {
  const commands = Object.fromEntries(names.map((name) => [`.claude/commands/${name}.md`, "Hi\n"]));
  await using project = await tmpProject({ git: false, files: commands });
  const { did } = await entered(project, "/help");
  const text = String(did[0]);
  expect(text.split("left out")).toHaveLength(2);
  expect(text.replaceAll(/\s+/g, " ")).toContain(line.replaceAll(/\s+/g, " "));
});

test("/help names what is left out as it is, commas included", () => {
  const leftOut = ["plan, then build", "a b", "c, d"].map((name) => ({ name, because: "has spaces" as const }));
  const text = helpText(catalogOf(ownEntries, new Map(), leftOut), { colour: false });
  expect(text).toContain('contain spaces: "plan, then build", "a b" and "c, d".');
});

test("/help says that a name is taken", () => {
  const taken = { name: "ship", because: "is taken" } as const;
  const help = (...leftOut: readonly LeftOut[]): string =>
    helpText(catalogOf(ownEntries, new Map(), leftOut), { colour: false });
  expect(help(taken)).toContain('\n1 entry is left out because another entry has the same name: "ship".\n');
  expect(help(taken, { name: "a b", because: "has spaces" })).toContain(
    '\n2 entries are left out because their names contain spaces or are already taken: "ship" and "a b".\n',
  );
});

test("at 40 columns, /help cuts off nothing", async () => {
  await using project = await tmpProject({ git: false, files });
  const help = String((await entered(project, "/help", "opencode", { columns: 40 })).did[0]);
  for (const line of help.split("\n")) expect(line.length).toBeLessThan(40);
  expect(help).toContain("Ctrl-J, Shift-Enter, \\ Enter\n");
  expect(help).not.toContain("…  ");
  const model = String((await entered(project, "/help model", "opencode", { columns: 40 })).did[0]);
  for (const line of model.split("\n")) expect(line.length).toBeLessThan(40);
  expect(model).toStartWith("/model [model] | select | list\n    [provider] | refresh | default\n");
});

test("with TERM=dumb, /help lists no keys that do nothing there", async () => {
  await using project = await tmpProject({ git: false, files });
  const { did } = await entered(project, "/help", "opencode", { env: { TERM: "dumb" } });
  expect(String(did[0])).not.toMatch(/Tab|Esc|Ctrl-[ORJ]|↑/);
  expect(String(did[0])).toContain("A \\ before Enter begins a new line.");
});

test("/help says nothing about names where none is left out", async () => {
  await using project = await tmpProject({ git: false, files });
  expect(String((await entered(project, "/help")).did[0])).not.toContain("left out");
});

import { expect, setDefaultTimeout, test } from "bun:test";
import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { readOpencodeFrontmatter } from "@atomic/workflows/internal/entities/tools/opencode-frontmatter";
import fc from "fast-check";
import { HugoError } from "../../../src/errors.ts";
import { deliver, deliverPlugin, textAt } from "./deliver.ts";
import {
  actionOf,
  builtinRules,
  type ClaudeTools,
  claudeTools,
  type Rule,
  type Use,
  widening,
} from "./uses-of-tools.ts";

setDefaultTimeout(180_000);

const runs = { numRuns: 1000 };

function agentWith(given: ClaudeTools): string {
  const keys = Object.entries(given).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return `---\ndescription: x\n${keys.join("")}---\nBody`;
}

/** The rules that OpenCode reads from the translated agent; undefined if it is stopped. */
function rulesOf(given: ClaudeTools): Rule[] | undefined {
  const delivered = deliverPlugin({ "agents/a.md": agentWith(given) });
  if (delivered.stopped.length > 0) return undefined;
  const reading = readOpencodeFrontmatter(textAt(delivered, "agents/a.md"));
  if (reading.kind !== "values") throw new Error(`OpenCode cannot read it: ${reading.because}`);
  const { permission = {} } = reading.values as { permission?: Record<string, string | Record<string, string>> };
  const own = Object.entries(permission).flatMap(([name, setting]) =>
    Object.entries(typeof setting === "string" ? { "*": setting } : setting).map(([pattern, action]) => {
      return { permission: name, pattern, action };
    }),
  );
  return [...builtinRules, ...own];
}

test("no list of tools is wider in OpenCode than in Claude Code", () => {
  let translated = 0;
  fc.assert(
    fc.property(claudeTools, (given) => {
      const rules = rulesOf(given);
      if (rules === undefined) return;
      translated += 1;
      expect(widening(given, rules)).toBeUndefined();
    }),
    runs,
  );
  expect(translated).toBeGreaterThan(runs.numRuns / 3);
});

test("every tool that a list names in full can be used in OpenCode", () => {
  const powers: readonly (readonly [string, Use])[] = [
    ["Read", ["read", "src/a.ts"]],
    ["Edit", ["edit", "src/a.ts"]],
    ["Write", ["edit", "src/a.ts"]],
    ["NotebookEdit", ["edit", "n.ipynb"]],
    ["Bash", ["bash", "rm -rf x"]],
    ["Bash(git:*)", ["bash", "git status"]],
    ["Grep", ["grep", "x"]],
    ["LS", ["list", "."]],
    ["AskUserQuestion", ["question", "*"]],
    ["WebFetch", ["webfetch", "https://a.org"]],
    ["mcp__github__get_issue", ["github_get_issue", "*"]],
  ];
  fc.assert(
    fc.property(fc.subarray([...powers]), (chosen) => {
      const rules = rulesOf({ tools: chosen.map(([tool]) => tool) }) ?? [];
      expect(chosen.map(([, use]) => actionOf(rules, use))).toEqual(chosen.map(() => "allow"));
    }),
    runs,
  );
});

const keyLine = fc.constantFrom(
  ...[
    "name: a",
    "name: Anna",
    "description: x",
    "description: Use when: always",
    'description: "x"',
    "description: |\n  a: b\n\n  c",
  ],
  ...[
    "tools: Read, Bash(git:*)",
    "tools: [Grep]",
    "tools:\n  - Read\n  - Write",
    "tools:",
    "disallowedTools: Bash",
    "model: opus",
  ],
  ...[
    "model: acme/large",
    "color: red",
    "color: mauve",
    "permissionMode: plan",
    "maxTurns: 3",
    "memory: user",
    "# A comment",
  ],
  ...[
    "",
    "mode: all",
    "permission:\n  edit: deny",
    "temperature: 0.5",
    "version: 1",
    "allowed-tools: Read",
    "agent: Explore",
  ],
  ...["arguments: [one, two]", "argument-hint: [one] [two]", "context: fork", "hooks: { Stop: [] }", "subtask: true"],
);
const lineEnd = fc.constantFrom("\n", "\n", "\r\n");
const words = fc.constantFrom(
  ..."$0 $1 $2 $ARGUMENTS $ARGUMENTS[0] $ARGUMENTS[1]5 $one $two \\$1 $5.00 --- text !`ls` @a.md 日本 \r\n \n".split(
    " ",
  ),
);
const body = fc.oneof(
  fc.array(words, { maxLength: 8 }).map((list) => list.join(" ")),
  fc.string({ unit: "grapheme" }),
);
const markdown = fc
  .tuple(fc.constantFrom("", "", "\ufeff"), fc.array(keyLine, { maxLength: 6 }), lineEnd, body)
  .map(([mark, keys, end, text]) => `${mark}${["---", ...keys, "---", ""].join("\n").replaceAll("\n", end)}${text}`);

/** The text that is delivered, or why none is. */
function outcome(
  file: string,
  text: string,
  isPlugin: boolean,
): { text: string } | { stopped: string } | { refused: string } {
  try {
    const delivered = (isPlugin ? deliverPlugin : deliver)({ [file]: text });
    const [stopped] = delivered.stopped;
    return stopped === undefined ? { text: textAt(delivered, file) } : { stopped: stopped.at };
  } catch (error) {
    if (error instanceof HugoError && error.code === "content-invalid") return { refused: error.at ?? "" };
    throw error;
  }
}

const files = ["agents/a.md", "commands/a.md", "skills/a/SKILL.md"] as const;

test.each(files)("%s is translated in one way only, and its translation in none", (file) => {
  let translated = 0;
  fc.assert(
    fc.property(markdown, fc.boolean(), (text, isPlugin) => {
      const once = outcome(file, text, isPlugin);
      expect(outcome(file, text, isPlugin)).toEqual(once);
      if (!("text" in once)) return;
      translated += 1;
      expect(outcome(file, once.text, isPlugin)).toEqual(once);
    }),
    runs,
  );
  expect(translated).toBeGreaterThan(runs.numRuns / 10);
});

test.each(["agents/a.md", "skills/a/SKILL.md"])("the body of %s is kept byte for byte", (file) => {
  fc.assert(
    fc.property(markdown, fc.boolean(), (text, isPlugin) => {
      const delivered = outcome(file, text, isPlugin);
      if (!("text" in delivered)) return;
      const bodyOf = (whole: string): string => whole.slice(parseFrontmatter(whole).bodyStart);
      expect(bodyOf(delivered.text)).toBe(bodyOf(text));
    }),
    runs,
  );
});

test("any text at all is delivered, stopped or refused with a message that is safe to print", () => {
  const part = fc.constantFrom(
    "---",
    "---js",
    "\n",
    "\r",
    "tools: ",
    "Read",
    "[",
    "{",
    "&a",
    "*a",
    "!!js/x",
    '"',
    "'",
    ": ",
    "\0",
    "\u001b[2J",
    "<<: ",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(part, { maxLength: 20 }).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, fc.constantFrom(...files), fc.boolean(), (given, file, isPlugin) => {
      try {
        const { notes, stopped } = (isPlugin ? deliverPlugin : deliver)({ [file]: given, "agents/b.md": "" });
        for (const { message } of notes) expect(message).not.toMatch(/\p{Cc}/u);
        for (const { because } of stopped) expect(because).not.toMatch(/\p{Cc}/u);
      } catch (error) {
        if (!(error instanceof HugoError)) throw error;
        expect(error.message).not.toMatch(/\p{Cc}/u);
        expect(error.at).toStartWith(`${file}:`);
      }
    }),
    runs,
  );
});

// Names and descriptions come from files that others wrote. None of their bytes may control the terminal.
import { expect, test } from "bun:test";
import { findHiddenCharacters } from "@atomic/terminal/hidden-characters";
import { formatJson } from "@atomic/terminal/json";
import { withoutColour } from "@atomic/terminal/paint";
import { tmpProject } from "@atomic/testing/project";
import fc from "fast-check";
import { entities as entitiesCommand } from "../src/commands/entities.ts";
import { lint } from "../src/commands/lint.ts";
import { type NameMatch, which } from "../src/commands/which.ts";
import { atomic } from "./atomic.ts";

const evil = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202edesrever\u2066\u200b\u2028\r\x08";
const quoted = JSON.stringify(evil).replaceAll("\x9b", "\\u009b");

const files = {
  ".claude/agents/evil.md": `---\nname: ${quoted}\ndescription: ${quoted}\ntools: [${quoted}, "${"Bash(\\e]0;x\\a)"}"]\nmodel: ${quoted}\n---\n`,
  ".claude/commands/hint.md": `---\ndescription: x\nargument-hint: ${quoted}\n---\n`,
  ".claude/skills/alias/SKILL.md": `---\nname: alias\ndescription: x\naliases: [${quoted}]\n---\n`,
  [`.claude/commands/${"\x1b[31mred\u202e"}.md`]: "---\ndescription: x\n---\n",
  [`.opencode/agent/${"\x1b[31m"}broken.md`]: `---\ndescription: x\n${evil}: [\n---\n`,
  "opencode.json": `{ "agent": { ${quoted}: { "description": ${quoted}, "prompt": "" } } }`,
};

test.each([
  [["entities"]],
  [["entities", "--json"]],
  [["entities", "--shadowed"]],
  [["which", evil]],
  [["which", evil, "--json"]],
  [["which", "alias"]],
  [["lint", "--all"]],
  [["lint", "--all", "--json"]],
  [["lint", ".claude/agents/evil.md"]],
  [["lint", evil]],
  [["which", "hint"]],
  [["which", "\x1b[31mred\u202e"]],
  [[evil]],
  [["entities", `--${evil}`]],
  [["entities", "--type", evil]],
  [["help", evil]],
])("%j writes no terminal control characters", async (argv) => {
  await using project = await tmpProject({ git: false, files });
  for (const surroundings of [{}, { columns: 60 }, { columns: 60, colour: true }]) {
    const { output } = await atomic(project, argv, surroundings);
    expect(output).not.toBe("");
    expect(findHiddenCharacters(surroundings.colour ? withoutColour(output) : output)).toEqual([]);
  }
});

test("hidden characters are shown as codes, in text and in JSON", async () => {
  await using project = await tmpProject({ git: false, files });
  const text = await atomic(project, ["entities", "--type", "agent"]);
  expect(text.stdout).toContain(String.raw`\x1b[2J\x1b]0;owned\x07\x9b31m\u{202e}desrever\u{2066}\u{200b}\u{2028}`);
  const json = await atomic(project, ["entities", "--type", "agent", "--json"]);
  expect(json.stdout).toContain(String.raw`\u001b[2J\u001b]0;owned\u0007\u009b31m\u202edesrever\u2066\u200b\u2028`);
  const { entities } = JSON.parse(json.stdout);
  expect(entities.some(({ description }: { description: string }) => description.startsWith("\x1b[2J"))).toBe(true);
});

const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\x1b[31m", "\x1b]8;;x\x07", "\u202e", "\u{e0041}", "\n", "\r", "\x9b", "👩‍👩‍👧", "漢"),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));

test("JSON keeps every value, and hides nothing", () => {
  fc.assert(
    fc.property(fc.dictionary(hostileText, hostileText), (document) => {
      const text = formatJson(document);
      expect(JSON.parse(text)).toEqual({ ...document });
      expect(findHiddenCharacters(text)).toEqual([]);
    }),
  );
});

test("no text in any part of a report gets through unescaped", () => {
  const match = fc.record({
    type: fc.constant("agent" as const),
    name: hostileText,
    displayName: hostileText,
    qualifiedName: hostileText,
    provider: fc.constant("claude" as const),
    location: fc.constant("project" as const),
    path: hostileText,
    pointer: hostileText,
    description: hostileText,
    aliases: fc.array(hostileText, { maxLength: 2 }),
    argumentHint: hostileText,
    modelId: hostileText,
    restrictions: fc.record({
      allow: fc.array(fc.record({ tool: hostileText, pattern: hostileText }), { maxLength: 2 }),
    }),
    disabledBecause: hostileText,
    standing: fc.record({ kind: fc.constant("shadowed" as const), by: hostileText, because: hostileText }),
    shadowedBy: fc.record({ qualifiedName: hostileText, because: hostileText }),
    readers: fc.array(
      fc.record({
        tool: fc.constant("claude" as const),
        loads: fc.boolean(),
        as: hostileText,
        kind: fc.constant("agent" as const),
        because: hostileText,
        shadowedBy: hostileText,
      }),
      { maxLength: 2 },
    ),
    diagnostics: fc.array(
      fc.record({
        severity: fc.constant("error" as const),
        code: hostileText,
        message: hostileText,
        path: hostileText,
        hint: hostileText,
      }),
      { maxLength: 2 },
    ),
  });
  const page = fc.constantFrom({ colour: false }, { colour: true, columns: 30 }, { colour: true, columns: 3 });
  fc.assert(
    fc.property(
      fc.array(match, { maxLength: 3 }),
      hostileText,
      fc.boolean(),
      page,
      (matches, name, shadowed, paper) => {
        const where = { cwd: "/p", project: "/p", home: "/h" };
        const diagnostics = matches.flatMap((each) => each.diagnostics);
        const listed = {
          where,
          asked: { type: [], provider: [], shadowed, verbose: false, stats: false },
          entities: matches,
          shadowedCount: 1,
          lookedIn: [name],
          diagnostics,
        };
        const found = { matches: matches as NameMatch[], suggestions: [name], unread: diagnostics, lookedIn: [name] };
        const explained = { where, asked: { name, type: [] }, ...found };
        const linted = {
          where,
          asked: { path: name, user: false, all: true },
          target: { kind: shadowed ? ("unread" as const) : ("file" as const), path: name },
          files: [{ path: name, entities: matches }],
          findings: diagnostics,
        };
        const texts = [
          lint.report.text(linted, paper),
          lint.report.notes(linted, paper),
          lint.report.notes({ ...linted, files: [], findings: [] }, paper),
          formatJson(lint.report.json(linted)),
          entitiesCommand.report.text(listed, paper),
          entitiesCommand.report.notes(listed, paper),
          which.report.text(explained, paper),
          which.report.notes(explained, paper),
          formatJson(entitiesCommand.report.json(listed)),
          formatJson(which.report.json(explained)),
        ];
        for (const text of texts) expect(findHiddenCharacters(withoutColour(text))).toEqual([]);
      },
    ),
  );
});

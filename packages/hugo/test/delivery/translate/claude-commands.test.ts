import { describe, expect, test } from "bun:test";
import { expandArguments, readArgumentNames } from "@atomic/workflows/internal/entities/arguments";
import { translateArguments } from "../../../src/delivery/translate/translate-command.ts";
import { deliver, deliverPlugin, textAt } from "./deliver.ts";

const delivered = (frontmatter: string, body = "Body"): string =>
  textAt(deliverPlugin({ "commands/c.md": `---\n${frontmatter}\n---\n${body}` }), "commands/c.md");

const stopped = (frontmatter: string, body = "Body"): string => {
  const list = deliverPlugin({ "commands/c.md": `---\n${frontmatter}\n---\n${body}` }).stopped;
  return list.map(({ at, because }) => `${at} ${because}`).join("\n");
};

describe("a command of a Claude plugin", () => {
  test("keeps the keys that OpenCode does not look at", () => {
    const frontmatter =
      "description: x\nargument-hint: '[file]'\nallowed-tools: Read\nuser-invocable: true\neffort: high";
    expect(delivered(frontmatter)).toBe(`---\n${frontmatter}\n---\nBody`);
  });

  test.each([
    ["a model of Claude's", "description: x\nmodel: opus", "description: x"],
    ["another name than its file's", "name: Fix\ndescription: x", "description: x"],
    ["its own agent", "context: fork\nagent: general-purpose", "subtask: true\nagent: general"],
    ["any separate agent", "context: fork\nmodel: inherit", "subtask: true\nagent: general"],
    ["an agent that Claude Code does not look at", "description: x\nagent: plan", "description: x"],
    ["a hint that is not YAML", "argument-hint: [file] [--all]", "argument-hint: '[file] [--all]'"],
    ["hooks that run afterwards", "description: x\nhooks: { Stop: [] }", "description: x"],
  ])("is translated if it has %s", (_, given, wanted) => {
    expect(delivered(given)).toBe(`---\n${wanted}\n---\nBody`);
  });

  test.each([
    ["tools taken away", "disallowed-tools: Bash", "Body", 'commands/c.md:2:1 "disallowed-tools" is a restriction'],
    ["tools that no command has", "tools: Read", "Body", 'commands/c.md:2:1 "tools" is a restriction'],
    ["a hook before tools", "hooks: { PreToolUse: [] }", "Body", 'commands/c.md:2:1 Its hook "PreToolUse"'],
    [
      "a shell command that it does not allow",
      "allowed-tools: Bash(git:*)",
      "- !`rm x`",
      'commands/c.md:4:3 OpenCode would run "rm x"',
    ],
    [
      "a shell command without any allowed",
      "allowed-tools: Read",
      "!`ls`",
      'commands/c.md:4:1 OpenCode would run "ls"',
    ],
    ["a shell command behind an allowed one", "allowed-tools: Bash(git:*)", "!`git log; rm x`", "commands/c.md:4:1"],
    ["a shell command inside an allowed one", "allowed-tools: Bash(git:*)", "!`git log $(rm x)`", "commands/c.md:4:1"],
    ["a shell command that writes", "allowed-tools: Bash(git:*)", "!`git log > x`", "commands/c.md:4:1"],
    ["unreadable tools", "allowed-tools: Bash(git", "!`git log`", "commands/c.md:4:1"],
    [
      "a shell command in a block for another shell",
      "allowed-tools: Bash(git:*)",
      "```!\ngit log\n# !`curl x`\n```",
      'commands/c.md:6:3 OpenCode would run "curl x"',
    ],
  ])("is stopped because of %s", (_, frontmatter, body, wanted) => {
    expect(stopped(frontmatter, body)).toStartWith(wanted);
  });

  test.each([
    ["prose", "a\nwow!`rm x`", "a\nwow! `rm x`"],
    ["two pieces of code", "No `#REF!`: fix what is `wrong`.", "No `#REF! `: fix what is `wrong`."],
    ["more of them", "`a!`, `b!` and `c!`; `d`", "`a! `, `b! ` and `c! `; `d`"],
    ["one in another", "x!`a !`b`", "x! `a !`b`"],
    ["one behind a file", "see @x!`git log`", "see @x! `git log`"],
    ["one in the name of a file", '@"a!`ls`"', '@"a! `ls`"'],
    ["a placeholder between the marks", "!$ARGUMENTS[0]`ls`", "! $1`ls`"],
    ["a real one, which stays", "Now: !`ls` and no!`rm`", "Now: !`ls` and no! `rm`"],
  ])("does not run what is text to Claude Code: %s", (_, body, wanted) => {
    const given = deliverPlugin({ "commands/c.md": `---\ndescription: x\n---\n${body}` });
    expect(textAt(given, "commands/c.md")).toBe(`---\ndescription: x\n---\n${wanted}`);
    expect(given.notes.some(({ message }) => message.startsWith('It gets a space after "!"'))).toBe(true);
  });

  test.each([
    ["Bash(git:*)", "git status"],
    ["Bash(git status:*), Bash(head:*)", "git status --short 2>/dev/null | head -20"],
    ["Bash(git log*)", "git log --oneline 2>&1"],
    ["Bash", "rm x > y"],
    ["Bash(git log > x)", "git log > x"],
    ["*", "ls"],
  ])("may run what %s allows", (tools, command) => {
    expect(stopped(`allowed-tools: ${JSON.stringify(tools)}`, `Now: !\`${command}\``)).toBe("");
  });

  test("may have blocks for a shell, which OpenCode does not run", () => {
    expect(stopped("allowed-tools: Read", "```!\nrm x\n```\n")).toBe("");
  });
});

describe("arguments", () => {
  test.each([
    ["counted from 0", "$0 then $1", [], "$1 then $2"],
    ["in brackets", "$ARGUMENTS[1], $ARGUMENTS", [], "$2, $ARGUMENTS"],
    ["by name", "Move $from to $to.", ["from", "to"], "Move $1 to $2."],
    ["by name and number", "$from $1", "from to", "$1 $2"],
    ["counted from 1, as before there was a $0", "$1 then $2", [], "$1 then $2"],
    ["before a digit", "$0 $ARGUMENTS[1]5", [], "$0 $ARGUMENTS[1]5"],
    ["that only look like them", "$x costs $", [], "$x costs $"],
    ["beside amounts", "$1 has $0.5M, at most $10 per day", [], "$1 has $ 0.5M, at most $ 10 per day"],
    ["counted from 0 beside amounts", "$0 of $1 for $1,500", [], "$1 of $2 for $ 1,500"],
    ["that are amounts with a unit", "$5k, $1M+, $3 million, $9/month", [], "$ 5k, $ 1M+, $ 3 million, $ 9/month"],
    ["that are large amounts", "3 × $150 = $4,050 ($100)", [], "3 × $ 150 = $ 4,050 ($ 100)"],
    ["that are escaped amounts", "\\$5.00 or \\$5", [], "$ 5.00 or $ 5"],
    ["before what ends a clause", "$1, $2. $3,5 $1/x $2/day", [], "$1, $2. $3,5 $1/x $2/day"],
    ["that may be per unit", "$1 per month in reports/$1/day", [], "$1 per month in reports/$1/day"],
    ["up to ten", "$1$2$3$4$5$6$7$8$9 $10", [], "$1$2$3$4$5$6$7$8$9 $10"],
    ["in brackets, however many", "$ARGUMENTS[10] $ARGUMENTS[0].5", [], "$11 $1.5"],
  ])("%s", (_, body, names, wanted) => {
    expect(translateArguments(body, names).body).toBe(wanted);
  });

  test.each([
    ["Fix $0 in $1, thoroughly", [], 'it "src/a b.ts"'],
    ["Fix $ARGUMENTS[0]!", [], "it"],
    ["Move $from to $to.", ["from", "to"], "a b"],
    ["All: $ARGUMENTS", [], 'a "b c" d'],
  ])("of %s become the same text in both programs", (body, names, input) => {
    const inClaude = expandArguments(body, input, { provider: "claude", names: readArgumentNames(names) });
    const inOpencode = expandArguments(translateArguments(body, names).body, input, { provider: "opencode" });
    expect(inOpencode).toBe(inClaude);
  });

  test("do not take the place of amounts, so the input is still appended", () => {
    const { body } = translateArguments("240 hours × $150/hour = $36,000", undefined);
    expect(expandArguments(body, "in euros", { provider: "opencode" })).toBe(
      "240 hours × $ 150/hour = $ 36,000\n\nin euros",
    );
  });

  test("that differ are noted once each, with their place", () => {
    const body = "$0 $0\n\\$ARGUMENTS for $5.0M or $2M\n";
    const { notes } = deliverPlugin({ "commands/c.md": `---\ndescription: x\n---\n${body}` });
    expect(notes).toEqual([
      {
        source: "commands/c.md",
        at: "commands/c.md:4:1",
        message: '"$0" becomes "$1" in OpenCode, where the last placeholder takes the remaining arguments',
      },
      {
        source: "commands/c.md",
        at: "commands/c.md:5:1",
        message: "OpenCode has no backslash escape for placeholders",
      },
      {
        source: "commands/c.md",
        at: "commands/c.md:5:17",
        message: 'Amounts get a space after "$", because OpenCode would take them for placeholders',
      },
    ]);
  });

  test("that may be counted from 1 or from 0 are noted", () => {
    const { notes } = deliverPlugin({ "commands/c.md": "Fix $1" });
    expect(notes.map(({ message }) => message)).toEqual([
      "Without a $0, Hugo assumes that arguments are numbered from 1, as in OpenCode",
    ]);
  });
});

describe("a command of any other package", () => {
  test.each(["agent: plan\nsubtask: true\n", "model: acme/large\n", "description: Use when: now\n"])(
    "in OpenCode's format is copied byte for byte: %s",
    (frontmatter) => {
      const text = `---\n${frontmatter}---\n$0 wow!\`ls\``;
      expect(textAt(deliver({ "commands/c.md": text }), "commands/c.md")).toBe(text);
    },
  );

  test("in Claude's format is translated", () => {
    const text = "---\nargument-hint: x\n---\n$0";
    expect(textAt(deliver({ "commands/c.md": text }), "commands/c.md")).toBe("---\nargument-hint: x\n---\n$1");
  });

  test("is refused if it should be restricted", () => {
    const { stopped: list, files } = deliver({ "commands/c.md": "---\npermission: { edit: deny }\n---\n" });
    expect(list).toMatchObject([{ entity: "commands/c", at: "commands/c.md:2:1" }]);
    expect(files.size).toBe(0);
  });
});

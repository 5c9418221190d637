import type { ToolName } from "../../src/entities/entity.ts";
import { LARGEST_FRONTMATTER } from "../../src/entities/frontmatter/parse.ts";
import { LARGEST_FILE } from "../../src/entities/read-file.ts";
import { described, type Tree } from "./tree.ts";

/** Where our view of a tool differs from the tool, and stays so. The guide lists each reason. */
export interface KnownDifference {
  /** Part of every name in `tree`. */
  readonly id: string;
  readonly because: string;
  /** For the other tools our view is right even here. */
  readonly tools: readonly ToolName[];
  readonly tree: Tree;
}

/** All three tools read Claude's skills, so one file asks them all. */
function skill(id: string, because: string, tools: readonly ToolName[], content: string): KnownDifference {
  const name = `differs-${id}`;
  const text = content.replaceAll("NAME", name);
  return { id: name, because, tools, tree: { files: { [`.claude/skills/${name}/SKILL.md`]: text } } };
}

const yaml = (...lines: string[]): string => `---\nname: NAME\n${lines.join("\n")}\n---\nBody of NAME\n`;
const about = "description: About NAME";
const oldNumber =
  "OpenCode and Copilot have their own rules for numbers, so they may interpret number-like text differently.";
const links = "If several links point to the same file, Claude Code and Copilot keep only one of them.";

export const knownDifferences: readonly KnownDifference[] = [
  skill(
    "code",
    "OpenCode runs frontmatter that starts with `---js`. Atomic never runs frontmatter.",
    ["opencode"],
    "---js\n({ name: 'NAME', description: 'This ran' })\n---\nBody of NAME\n",
  ),
  skill(
    "json",
    "OpenCode reads frontmatter that starts with `---json`.",
    ["opencode"],
    '---json\n{ "name": "NAME", "description": "About NAME" }\n---\nBody of NAME\n',
  ),
  skill(
    "merge",
    "Claude Code and OpenCode follow the merge key `<<`; Atomic treats a key that uses it as unreadable.",
    ["claude", "opencode"],
    yaml("base: &base { description: About NAME }", "<<: *base"),
  ),
  skill(
    "tab",
    "Claude Code and OpenCode accept tabs as indentation.",
    ["claude", "opencode"],
    yaml(about, "x:\n\ty: 1"),
  ),
  skill(
    "keys",
    "Claude Code, OpenCode and Copilot accept keys that are lists or maps.",
    ["claude", "opencode", "copilot"],
    yaml("? [a]\n: b", about),
  ),
  skill("empty-key", "OpenCode and Copilot refuse an empty key.", ["opencode", "copilot"], yaml(": x", about)),
  skill("binary", oldNumber, ["opencode", "copilot"], yaml("description: 0b11")),
  skill("octal-old", oldNumber, ["copilot"], yaml("description: 010")),
  skill("octal-new", oldNumber, ["opencode"], yaml("description: 0o10")),
  skill("minutes", oldNumber, ["opencode"], yaml("description: 1:30")),
  skill("underscore", oldNumber, ["opencode"], yaml("description: 1_000")),
  skill(
    "separators",
    "Copilot treats Unicode line separators as line breaks.",
    ["copilot"],
    yaml("description: About\u2028NAME"),
  ),
  skill(
    "surrogates",
    "Copilot refuses characters that are written as two `\\u` escapes.",
    ["copilot"],
    yaml('description: "About \\uD83D\\uDE00 NAME"'),
  ),
  skill(
    "after-quote",
    "OpenCode drops any text after a closing quote.",
    ["opencode"],
    yaml('description: "Use" when: NAME'),
  ),
  skill(
    "deep",
    "Atomic does not read frontmatter that is nested more than 64 levels deep.",
    ["claude", "opencode"],
    yaml(about, `x: ${"[".repeat(200)}${"]".repeat(200)}`),
  ),
  skill(
    "large",
    `Atomic does not read frontmatter larger than ${LARGEST_FRONTMATTER / 1024} KB.`,
    ["claude", "opencode", "copilot"],
    yaml(about, `x: ${"y ".repeat(LARGEST_FRONTMATTER / 2)}`),
  ),
  skill(
    "huge",
    `Atomic does not read files larger than ${LARGEST_FILE / 1024 ** 2} MB.`,
    ["opencode"],
    yaml(about) + "text ".repeat(LARGEST_FILE / 5),
  ),
  {
    id: "differs-links",
    because: links,
    tools: ["claude", "copilot"],
    tree: {
      files: Object.fromEntries([described("shared/differs-links.md")]),
      links: {
        ".claude/commands/differs-links-1.md": "../../shared/differs-links.md",
        ".claude/commands/differs-links-2.md": "../../shared/differs-links.md",
      },
    },
  },
  {
    id: "differs-ending",
    because: "Copilot also reads Claude commands whose `.md` extension is not lowercase.",
    tools: ["copilot"],
    tree: { files: Object.fromEntries([described(".claude/commands/differs-ending.MD")]) },
  },
  {
    id: "differs-nameless",
    because: "OpenCode lists a file whose whole name is `.md`.",
    tools: ["opencode"],
    tree: { files: Object.fromEntries([described(".opencode/commands/differs-nameless/.md")]) },
  },
];

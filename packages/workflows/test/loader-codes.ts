import type { Rule } from "../src/entities/lint/rule.ts";

type Row = readonly [code: string, severity: Rule["severity"], summary: string];

const rows: readonly Row[] = [
  [
    "agents-too-many",
    "warning",
    "A folder with more than 100 agent files: Copilot leaves some out (a note for Claude Code's folder).",
  ],
  ["builtins-missing", "warning", "The package's built-in skills are not next to its code."],
  ["config-syntax", "error", "An opencode.json that is not JSON with comments; nothing in it counts."],
  ["file-missing", "error", "A link whose target does not exist."],
  [
    "file-not-regular",
    "error",
    "A FIFO, socket or device in place of a file; a folder with a file's name is a warning.",
  ],
  ["file-not-utf8", "error", "Text that is not UTF-8; the file is not read."],
  ["file-too-large", "error", "A file of more than 1 MB; it is not read."],
  ["file-unread", "warning", "A file in a place where no tool looks, although it seems to be meant for one."],
  ["file-unreadable", "error", "A file that you may not read."],
  ["folder-loop", "warning", "A link to a folder that contains the link."],
  ["folder-missing", "warning", "The project or home folder does not exist."],
  ["folder-too-deep", "warning", "Folders nested too deeply to be searched."],
  ["folder-too-large", "error", "A folder with so many files that the search stopped."],
  ["folder-unknown", "warning", "The home folder or the current folder cannot be determined."],
  ["folder-unreadable", "error", "A path that is not a folder, or a folder that you may not read."],
  ["frontmatter-duplicate-key", "error", "A key that appears twice: tools differ in which one they use."],
  ["frontmatter-inner-fence", "warning", "A `---` inside the frontmatter, where Claude Code ends it."],
  ["frontmatter-language", "error", "`---js` and the like: only YAML is read, and nothing is ever evaluated."],
  ["frontmatter-line-endings", "error", "Lines that end with a lone carriage return."],
  ["frontmatter-merge-key", "error", "A YAML merge key (`<<`), which the tools read differently."],
  ["frontmatter-misplaced", "error", "White space before the first `---`: no tool finds the frontmatter."],
  ["frontmatter-not-a-map", "error", "Frontmatter that is a list or plain text instead of keys and values."],
  ["frontmatter-recovered", "warning", "Invalid YAML that the file's own tool accepts and other tools do not."],
  ["frontmatter-syntax", "error", "Frontmatter that is not valid YAML; the entity is disabled."],
  ["frontmatter-too-deep", "error", "Values nested too deeply to be read."],
  ["frontmatter-too-large", "error", "Frontmatter that is too large to be read."],
  ["frontmatter-too-many-aliases", "error", "YAML aliases that expand to too many values."],
  ["frontmatter-unknown-alias", "error", "A YAML alias without an anchor, often an unquoted `*`."],
  ["frontmatter-unknown-tag", "warning", "A YAML tag, which the tools read differently."],
  ["frontmatter-unterminated", "error", "Frontmatter without a closing `---` line."],
  [
    "general-unreadable",
    "error",
    "An OpenCode config that cannot be read, so the permissions for every OpenCode agent are unknown.",
  ],
  ["hugo-link-outside", "error", "A link in an installed package that points outside the package; it is not followed."],
  [
    "hugo-lock-invalid",
    "error",
    "A hugo.json that Hugo refuses, or that names a package outside its store; nothing in it counts.",
  ],
  ["hugo-package-missing", "warning", "Installed workflows without their packages, as after a clone: run `hugo ci`."],
  ["model-not-a-string", "warning", "A `model` that is not text, or in a Copilot agent not a list of texts."],
  [
    "name-unreadable",
    "error",
    "A `name` that is not valid YAML; the entity is disabled under each name it might have.",
  ],
  ["namesake-unreadable", "error", "An OpenCode agent that is merged with a namesake that cannot be trusted."],
  ["permission-ignored", "warning", "A permission that OpenCode does not know, such as `write`: use `edit`."],
  ["reader-failed", "error", "A bug in the reader of this format."],
  ["tool-name-case", "warning", "A tool name in the wrong case, which Claude Code ignores."],
  ["tools-empty", "warning", "An empty `tools` key: no tool is allowed."],
  [
    "tools-map-edit",
    "warning",
    "A map of tools with different values for editing tools, which OpenCode controls with one switch.",
  ],
  ["tools-map-narrowed", "info", "A map of tools that Atomic reads more narrowly than OpenCode does."],
  ["tools-unparsable", "error", "A restriction that cannot be read; the entity is disabled, never widened."],
];

/** What `lintEntities` reports without a rule, while it finds and reads the files; for the docs. */
export const loaderCodes: readonly Omit<Rule, "check">[] = rows.map(([code, severity, summary]) => ({
  code,
  severity,
  summary,
}));

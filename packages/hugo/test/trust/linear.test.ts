// Everything that reads a package takes time that grows with the package, whatever is in it: otherwise a file of 200 kB keeps
// a command busy for minutes while it holds the project's lock.
import { expect, test } from "bun:test";
import { growth } from "@atomic/testing/growth";
import { HugoError } from "../../src/errors.ts";
import { defaultWithoutId, usesDefineWorkflow, valueExports } from "../../src/packages/manifest/entry-code.ts";
import { capabilitiesOf, readCandidate } from "../../src/trust/candidate.ts";
import { changedCode } from "../../src/trust/capabilities/changed-code.ts";
import { tree } from "../tree.ts";

type Files = Readonly<Record<string, string>>;

const json = JSON.stringify;
const skill = "---\nname: s\ndescription: d\n---\n";
const manifest = { name: "p", version: "1.0.0", main: "index.js" };

/** Where the text of a package can be. A file that does not parse is refused, which has to be as quick. */
const places: Readonly<Record<string, (text: string) => Files>> = {
  "the code of a plugin": (text) => ({ "package.json": json(manifest), "workflow.json": "{}", "index.js": text }),
  "package.json": (text) => ({ "package.json": text, "skills/s/SKILL.md": skill }),
  "the values of package.json": (text) => ({
    "package.json": json({
      ...manifest,
      description: text,
      scripts: { x: text },
      bin: text,
      files: [text],
      exports: text,
    }),
    "skills/s/SKILL.md": skill,
  }),
  "workflow.json": (text) => ({ "package.json": json(manifest), "workflow.json": text, "index.js": "" }),
  "the manifest of a Claude plugin": (text) => ({ ".claude-plugin/plugin.json": text, "skills/s/SKILL.md": skill }),
  "a list of servers": (text) => ({ ".mcp.json": text, "opencode.json": text, "skills/s/SKILL.md": skill }),
  frontmatter: (text) => ({
    "agents/a.md": `---\ndescription: d\n${text}\n---\n`,
    "commands/c.md": `---\ndescription: ${text}\n---\n`,
    "skills/s/SKILL.md": `---\nname: s\ndescription: d\nx:\n  - ${text}\n---\n`,
  }),
  "frontmatter without an end": (text) => ({ "agents/a.md": `---\n${text}`, "skills/s/SKILL.md": skill }),
  prompts: (text) => ({ "agents/a.md": text, "commands/c.md": text, "skills/s/SKILL.md": `${skill}${text}` }),
  "the files of a skill": (text) => ({
    "skills/s/SKILL.md": skill,
    ...Object.fromEntries(
      ["a.js", "a.ts", "a.sh", "a.ps1", "a.py", "a", "a.json", "a.yml"].map((name) => [`skills/s/${name}`, text]),
    ),
  }),
};

const units = [
  ...[
    "{",
    "[",
    "(",
    "}",
    '"',
    "'",
    "`",
    "\\",
    "/*",
    "//",
    "#",
    "-",
    "- ",
    ": ",
    "a: ",
    "\n",
    "\r",
    "\t",
    " ",
    "&a ",
    "*a ",
    "<<: ",
  ],
  ...[
    "export {a ",
    "export const a:",
    "import(",
    "require (",
    "a as default,",
    "!`",
    "$(",
    "${",
    "{env:",
    "{file:",
    "@a/",
    "@",
    "A_",
  ],
  ...[
    "process . ",
    "globalThis[",
    "curl ",
    "| sh ",
    "rm -rf ",
    "http://",
    "command: [",
    "\u200d",
    "\u{1f600}\u200d",
    "\u{e0061}",
    "\ufe0f",
  ],
  ...["---\n", "allowed-tools: ", "Bash(", "Bash(*:*),", '{"a":', "[{", '"a",', "a/../", "%s", "=", "a=>"],
];

const read = (files: Files): void => {
  try {
    const all = tree(files);
    const { "index.js": code = "" } = files;
    valueExports(code);
    defaultWithoutId(code);
    usesDefineWorkflow(all, { entry: "index.js" });
    changedCode(tree({}), all);
    capabilitiesOf(readCandidate({ packageName: "p", version: "1.0.0" }, all));
  } catch (error) {
    if (!(error instanceof HugoError)) throw error;
  }
};

for (const [place, files] of Object.entries(places)) {
  test(`${place}: read in time that grows with the text`, () => {
    const slow = units.filter((unit) => growth(2_500, (size) => read(files(unit.repeat(size)))) >= 1.5);
    expect(slow).toEqual([]);
  });
}

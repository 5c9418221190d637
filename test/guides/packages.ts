// What the registry of the guides has.
import type { PackageToPublish } from "@atomic/testing/npm-registry";

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

const agent = (restrictions: string) =>
  `---\ndescription: Reviews a change\nmode: subagent\npermission:\n${restrictions}---\n\nList the risks of the change.\n`;

function codeReview(version: string, files: Readonly<Record<string, string>> = {}): PackageToPublish {
  return {
    name: "@acme/code-review",
    version,
    manifest: {
      description: "Reviews a change and lists its risks",
      keywords: ["opencode-workflow"],
      type: "module",
      main: "plugin.js",
    },
    files: {
      "workflow.json": JSON.stringify({ agents: ["reviewer"], commands: ["risks"], skills: ["risk-list"] }),
      "plugin.js": `export default { id: "code-review", server: async () => ({ config: async (config) => {
  config.agent = { reviewer: { description: "Reviews a change", prompt: "List the risks of ${version}." }, ...config.agent };
} }) };
`,
      "agents/reviewer.md": agent("  edit: deny\n  bash: ask\n"),
      "commands/risks.md": "---\ndescription: Lists the risks of this branch\n---\nReview:\n!`git diff main`\n",
      "skills/risk-list/SKILL.md": "---\nname: risk-list\ndescription: How to write a list of risks\n---\n\nShort.\n",
      ...files,
    },
  };
}

export const codeReview100: PackageToPublish = { ...codeReview("1.0.0"), time: hoursAgo(2000) };
export const codeReview110: PackageToPublish = { ...codeReview("1.1.0"), time: hoursAgo(400) };
export const codeReview120: PackageToPublish = {
  ...codeReview("1.2.0", {
    "agents/reviewer.md": agent("  edit: deny\n  bash: allow\n"),
    "skills/risk-list/collect.sh": "#!/bin/sh\ncurl -s https://risks.example/api\n",
  }),
  time: hoursAgo(48),
};
export const codeReview121: PackageToPublish = { ...codeReview("1.2.1"), time: hoursAgo(3) };

/** A workflow without code, of which all files are copied. */
function notes(version: string, files: Readonly<Record<string, string>>): PackageToPublish {
  return {
    name: "@acme/notes",
    version,
    manifest: { description: "Takes notes", keywords: ["opencode-workflow"] },
    files,
  };
}

const scribe = (...paragraphs: string[]): string =>
  `---\ndescription: Takes notes of a meeting\nmode: subagent\n---\n\n${paragraphs.join("\n\n")}\n`;
const skill = "---\nname: note-style\ndescription: How notes look\n---\n\nOne line a thought.\n";

export const notes100: PackageToPublish = notes("1.0.0", {
  "agents/scribe.md": scribe("Write down who said what.", "Be short.", "End with the open questions."),
  "commands/note.md": "Take a note: $ARGUMENTS\n",
  "commands/summary.md": "Sum up the notes.\n",
  "skills/note-style/SKILL.md": skill,
});
export const notes110: PackageToPublish = notes("1.1.0", {
  "agents/scribe.md": scribe("Write down who said what, and when.", "Be short.", "End with the open questions."),
  "commands/note.md": "Take a note, with the date: $ARGUMENTS\n",
  "commands/search.md": "Search the notes: $ARGUMENTS\n",
  "commands/summary.md": "Sum up the notes in five lines.\n",
  "skills/note-style/SKILL.md": skill,
});
export const notes120: PackageToPublish = notes("1.2.0", {
  ...(notes110.files as Record<string, string>),
  "agents/scribe.md": scribe("Write down who said what, and when.", "Be very short.", "End with the open questions."),
  "commands/search.md": "Search the notes, newest first: $ARGUMENTS\n",
});

/** Someone else's workflow of the same name, with a command of the same name. */
export const othersNotes100: PackageToPublish = {
  name: "@globex/notes",
  version: "1.0.0",
  manifest: { description: "Takes notes, too", keywords: ["opencode-workflow"] },
  files: {
    "commands/note.md": "Note this: $ARGUMENTS\n",
    "commands/agenda.md": "Write an agenda from what /note noted.\n",
  },
};

/** Entity files as people write them: 2 kB, of which 15 lines are frontmatter with quotes, a list and a map. */

export type Kind = "claude-command" | "claude-agent" | "claude-skill" | "opencode-command";

const bytes = 2048;

export function sampleFile(kind: Kind, index: number): string {
  const number = String(index).padStart(6, "0");
  const head = `---
name: ${kind}-${number}
description: "Reviews part ${number} of a change: contracts, errors, and what happens at the edges"
argument-hint: "[file] | --all"
aliases: [review-${kind}-${number}]
model: ${["sonnet", "anthropic/claude-opus-4-5", "haiku", "inherit"][index % 4]}
${restriction(kind, index)}
metadata:
  team: platform
  owner: 'Someone else'
  version: "1.${index % 10}.0"
  reviewed: true
---
`;
  return head + prose(bytes - head.length);
}

const patterns = ["git diff:*", "git log:*", "npm test", "npm run check:*", "rg:*", "ls src/**", "node --test:*"];
const tools = ["Grep", "Glob", "Edit", "Write", "WebFetch"];

/** Always five lines. Real projects repeat a few tools, but seldom a whole list. */
function restriction(kind: Kind, index: number): string {
  const pattern = patterns[index % patterns.length];
  const tool = tools[index % tools.length];
  if (kind === "opencode-command") {
    return `agent: build\npermission:\n  edit: ask\n  bash: ${index % 3 === 0 ? "deny" : "allow"}\n  webfetch: deny`;
  }
  const key = kind === "claude-agent" ? "tools" : "allowed-tools";
  return `${key}:\n  - Read\n  - ${tool}\n  - TodoWrite\n  - "Bash(${pattern})"`;
}

const paragraph = `Read the change from the outside in: what does a caller see that is different? Name each risk with its file and
line, say how likely it is, and what it would cost. Leave style to the formatter. Work on $ARGUMENTS.

`;

function prose(length: number): string {
  return `${paragraph.repeat(Math.ceil(length / paragraph.length)).slice(0, length - 1)}\n`;
}

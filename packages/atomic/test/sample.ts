// A project and a home with a bit of everything. The README shows what `atomic` says about it.
import { type FileContent, type Project, tmpProject } from "@atomic/testing/project";

const sampleFiles: Readonly<Record<string, string>> = {
  ".claude/agents/reviewer.md": `---
name: reviewer
description: Reviews a change and lists its risks
tools: Read, Grep, Bash(git diff:*)
model: sonnet
---
You review changes.
`,
  ".claude/commands/commit.md": `---
description: Writes a commit message
allowed-tools: Bash(git:*), Read
---
Commit $ARGUMENTS.
`,
  "~/.claude/commands/commit.md": `---
description: My own way to commit
argument-hint: "[message]"
---
Commit as I like it.
`,
  ".opencode/agents/planner.md": `---
description: Plans before anybody writes
permission:
  edit: deny
  bash: ask
---
You plan.
`,
  ".opencode/command/ship.md": `---
description: Ships a version
---
Ship $1 to $2.
`,
  ".agents/skills/tidy/SKILL.md": `---
name: tidy
description: Tidies up after a change. Use when a change is done.
---
Tidy up.
`,
  ".atomic/workflows/release.ts": "export default {};\n",
};

export async function sampleProject(more: Readonly<Record<string, FileContent>> = {}): Promise<Project> {
  return await tmpProject({ git: false, files: { ...sampleFiles, ...more } });
}

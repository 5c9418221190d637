// The shapes of well-known collections, in small.
const json = JSON.stringify;
const ROOT = ["$", "{CLAUDE_PLUGIN_ROOT}"].join("");

export const markdown = (frontmatter: Readonly<Record<string, string>>, body = "Text."): string => {
  const lines = Object.entries(frontmatter).map(([key, value]) => `${key}: ${json(value)}\n`);
  return `---\n${lines.join("")}---\n\n${body}\n`;
};

/** A marketplace of Claude Code: a folder for each plugin, agents whose file names collide, and a plugin elsewhere. */
export const marketplace: Readonly<Record<string, string>> = {
  "README.md": "# Plugins",
  ".claude-plugin/marketplace.json": json({
    name: "workflows",
    plugins: [
      { name: "python-development", source: "./plugins/python-development", description: "Python 3.12" },
      { name: "code-review", source: "./plugins/code-review", description: "Reviews code" },
      { name: "memory", source: { source: "git-subdir", url: "https://github.com/org/memory.git", path: "claude" } },
      { name: "broken", source: "./plugins/gone" },
    ],
  }),
  "plugins/python-development/.claude-plugin/plugin.json": json({
    name: "python-development",
    hooks: { PreToolUse: [{ hooks: [{ type: "command", command: `${ROOT}/scripts/guard.sh` }] }] },
  }),
  "plugins/python-development/scripts/guard.sh": "#!/bin/sh\n",
  "plugins/python-development/agents/reviewer.md": markdown({ name: "python-development-reviewer", description: "d" }),
  "plugins/python-development/agents/python-pro.md": markdown({ name: "python-pro", description: "Writes Python" }),
  "plugins/python-development/commands/scaffold.md": markdown({ description: "Scaffolds Python" }),
  "plugins/python-development/commands/docs.md": markdown({ description: "Writes docs" }),
  "plugins/python-development/skills/python-packaging/SKILL.md": markdown({
    name: "python-packaging",
    description: "d",
  }),
  "plugins/code-review/.claude-plugin/plugin.json": json({ name: "code-review" }),
  "plugins/code-review/.mcp.json": json({ mcpServers: {} }),
  "plugins/code-review/agents/reviewer.md": markdown({ name: "code-review-reviewer", description: "d" }),
  "plugins/code-review/commands/scaffold.md": markdown({ description: "Scaffolds a review" }),
  "plugins/code-review/commands/docs.md": markdown({ description: "Writes docs" }),
};

/** A marketplace whose plugins are lists of skills in one folder. */
export const skillLists: Readonly<Record<string, string>> = {
  ".claude-plugin/marketplace.json": json({
    plugins: [
      { name: "documents", source: "./", strict: false, skills: ["./skills/pdf", "./skills/xlsx"] },
      { name: "design", source: "./", strict: false, skills: ["./skills/design"] },
    ],
  }),
  "skills/pdf/SKILL.md": markdown({ name: "pdf", description: "Reads PDFs" }),
  "skills/xlsx/SKILL.md": markdown({ name: "xlsx", description: "Reads tables" }, "No `#REF!`: fix what is `wrong`."),
  "skills/design/SKILL.md": markdown({ name: "design", description: "Draws" }),
};

/** Copilot's agents and skills in the root, plugins that list them, and skills inside a skill. */
export const copilot: Readonly<Record<string, string>> = {
  ".github/plugin/marketplace.json": json({
    plugins: [
      { name: "csharp", source: "plugins/csharp", description: "For C#" },
      { name: "canvas", source: "plugins/canvas" },
      { name: "azure", source: { source: "github", repo: "org/azure", path: ".github/plugins/azure", ref: "v1" } },
    ],
  }),
  "plugins/csharp/plugin.json": json({
    name: "csharp",
    extensions: { "com.example.collection": { agents: ["./agents/CSharpExpert.md"], skills: ["./skills/scaling/"] } },
  }),
  "plugins/canvas/plugin.json": json({ name: "canvas" }),
  "agents/CSharpExpert.agent.md": markdown({ name: "C# Expert", description: "Knows C#" }),
  "agents/postgresql-dba.agent.md": markdown({ description: "Knows Postgres" }),
  "instructions/csharp.instructions.md": markdown({ applyTo: "**/*.cs" }),
  "skills/scaling/SKILL.md": markdown({ name: "scaling", description: "Scales" }, "See latency/SKILL.md."),
  "skills/scaling/latency/SKILL.md": markdown({ name: "minimize-latency", description: "Is quick" }),
};

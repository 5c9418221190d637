import type { Tree } from "../tree.ts";

const $schema = "https://opencode.ai/config.json";

/** Agents and commands inside OpenCode's config files, and Markdown of the same name. */
export const configs: Tree = {
  files: {
    "opencode.jsonc": `{
  // comments and trailing commas are fine
  "$schema": "${$schema}",
  "agent": {
    "json-both": { "description": "opencode.jsonc" },
    "json-markdown": { "description": "opencode.jsonc" },
    "json-off": { "description": "opencode.jsonc", "disable": true },
    "json-off-markdown": { "description": "opencode.jsonc", "disable": true },
    "json-bare": { "prompt": "no description" },
    "json-key": { "description": "opencode.jsonc", "name": "json-renamed" },
    "json-user-markdown": { "description": "opencode.jsonc" },
    "Json-Upper": { "description": "opencode.jsonc" },
    "plan": { "disable": true },
  },
  "mode": {
    "json-mode": { "description": "opencode.jsonc mode" },
    "json-mode-markdown": { "description": "opencode.jsonc mode" },
  },
  "command": {
    "json-command": { "template": "do $1", "description": "opencode.jsonc" },
    "json-command-bare": { "template": "do $ARGUMENTS" },
    "json-command-markdown": { "template": "x", "description": "opencode.jsonc" },
  },
}
`,
    "opencode.json": {
      $schema,
      agent: { "json-both": { description: "opencode.json" }, "json-only": { description: "opencode.json" } },
    },
    ".opencode/opencode.json": {
      $schema,
      agent: { "json-inner": { description: ".opencode/opencode.json" }, "json-home": { description: "inner" } },
    },
    "~/.config/opencode/opencode.json": {
      $schema,
      agent: {
        "json-both": { description: "user json" },
        "json-user": { description: "user json" },
        "json-inner": { description: "user json" },
        "json-off-by-user": { description: "user json", disable: true },
      },
      command: { "json-command": { template: "u", description: "user json" } },
    },
    "~/.config/opencode/opencode.jsonc": { $schema, agent: { "json-user": { description: "user jsonc" } } },
    "~/.config/opencode/config.json": {
      $schema,
      agent: { "json-user": { description: "user config" }, "json-user-config": { description: "user config" } },
    },
    "~/.opencode/opencode.json": { $schema, agent: { "json-home": { description: "home .opencode json" } } },
    ".opencode/agents/json-markdown.md": "---\ndescription: Markdown wins\n---\nBody",
    ".opencode/agents/json-off-markdown.md": "---\ndescription: Markdown does not switch on\n---\nBody",
    ".opencode/agents/json-off-by-user.md": "---\ndescription: nor does the project's\n---\nBody",
    ".opencode/agents/json-mode-markdown.md": "---\ndescription: a mode wins over Markdown\n---\nBody",
    "~/.config/opencode/agents/json-user-markdown.md": "---\ndescription: the user's Markdown wins\n---\nBody",
    "~/.config/opencode/commands/json-command-markdown.md": "---\ndescription: the user's Markdown wins\n---\nBody",
    ".opencode/agents/markdown-off.md": "---\ndescription: off\ndisable: true\n---\nBody",
    ".opencode/agents/markdown-hidden.md": "---\ndescription: hidden\nhidden: true\n---\nBody",
  },
};

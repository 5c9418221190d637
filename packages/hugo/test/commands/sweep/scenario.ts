// What the install sweep runs: commands on a project with two packages beside it, one a plugin and one to copy.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { adopt } from "../../../src/commands/adopt.ts";
import { ci } from "../../../src/commands/ci.ts";
import { install } from "../../../src/commands/install.ts";
import { update } from "../../../src/commands/update.ts";
import type { Context } from "../../../src/context.ts";

const config = '{\n  "$schema": "https://opencode.ai/config.json", // mine\n  "plugin": ["other"]\n}\n';
const agent = (text: string): string => `---\ndescription: Writes\nmode: subagent\n---\n\n${text}\n`;

const versions = {
  one: {
    "notes/agents/writer.md": agent("One.\n\nTwo.\n\nThree."),
    "notes/agents/other.md": agent("One."),
    "notes/commands/note.md": "Note it.\n",
    "notes/skills/diff/SKILL.md": "---\nname: diff\ndescription: d\n---\n",
    "review/package.json": JSON.stringify({ name: "@org/review", version: "1.0.0", main: "index.js" }),
    "review/workflow.json": JSON.stringify({ agents: [], commands: [], skills: [] }),
    "review/index.js": "export default async () => ({});\n",
  },
  two: {
    "notes/agents/writer.md": agent("One!\n\nTwo.\n\nThree."),
    "notes/agents/other.md": agent("Theirs."),
    "notes/commands/list.md": "List them.\n",
    "review/package.json": JSON.stringify({ name: "@org/review", version: "1.1.0", main: "index.js" }),
    "review/index.js": "export default async () => ({ });\n",
  },
} as const;

export const commands = ["install-plugin", "install-copy", "adopt", "update", "ci"] as const;
export type Command = (typeof commands)[number];

/** A folder with `project` and `packages` in it, as they are before the command. */
export async function writeScene(folder: string, command: Command): Promise<void> {
  const project = join(folder, "project");
  write(project, { "opencode.json": config, ".opencode/agents/mine.md": agent("Mine.") });
  write(join(folder, "packages"), versions.one);
  if (command === "install-plugin" || command === "install-copy") return;
  if (command === "adopt") {
    write(project, { "opencode.json": config.replace('"other"', '["../packages/review", { "x": 1 }], "other"') });
    return;
  }
  await run("install-both", project);
  write(join(project, ".opencode/agents"), { "writer.md": agent("One.\n\nTwo.\n\nMine."), "other.md": agent("Mine.") });
  if (command === "ci") {
    for (const name of [".hugo/store", ".hugo/bases", "commands", "plugins"]) {
      fs.rmSync(join(project, ".opencode", name), { recursive: true });
    }
    return;
  }
  fs.rmSync(join(folder, "packages/notes/commands/note.md"));
  write(join(folder, "packages"), versions.two);
}

/** Its report goes nowhere; whether it went well is all that counts. */
export async function run(command: Command | "install-both", project: string): Promise<void> {
  const user = { approve: async () => "nobody" as const, progress: () => undefined };
  const context: Context = { cwd: project, home: join(project, "../home"), env: process.env, user };
  const common = { global: false, dryRun: false, yes: true };
  const installing = {
    ...common,
    force: false,
    replace: false,
    allowNew: false,
    as: undefined,
    prefix: undefined,
    select: undefined,
    details: false,
  };
  switch (command) {
    case "install-plugin":
      await install.run(context, { ...installing, spec: ["../packages/review"] });
      return;
    case "adopt":
      await adopt.run(context, { ...common, plugin: ["../packages/review"], details: false, allowNew: false });
      return;
    case "install-copy":
      await install.run(context, { ...installing, spec: ["../packages/notes"] });
      return;
    case "install-both":
      await install.run(context, { ...installing, spec: ["../packages/review", "../packages/notes"] });
      return;
    case "update": {
      const { failed } = await update.run(context, {
        ...common,
        name: [],
        skipModified: false,
        exitCode: false,
        allowNew: false,
        details: false,
      });
      if (failed.length > 0) throw new Error(JSON.stringify(failed));
      return;
    }
    case "ci": {
      const { failed, differences } = await ci.run(context, { ...common, strict: false });
      if (failed.length + differences.length > 0) throw new Error(JSON.stringify({ failed, differences }));
    }
  }
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(folder, path)), { recursive: true });
    fs.writeFileSync(join(folder, path), text);
  }
}

// A project with an enabled and a disabled workflow of each delivery, and commands to change it: what fault sweeps run.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { disable } from "../../../src/commands/disable.ts";
import { enable } from "../../../src/commands/enable.ts";
import { remove } from "../../../src/commands/remove.ts";
import { switchTo } from "../../../src/commands/switch.ts";
import { contextOf, copiedWorkflow, input, install, pluginWorkflow } from "../workspace.ts";

const config = `{
  // mine
  "$schema": "https://opencode.ai/config.json",
  "plugin": ["mine", ["@org/review@1.0.0", { "strict": true }]]
}
`;
const lint = { "agents/linter.md": "Lint.\n", "skills/lint/SKILL.md": "Skill.\n", "skills/lint/run.sh": "#!/bin/sh\n" };
const tidy = { "agents/tidier.md": "Tidy.\n", "commands/tidy.md": "Tidy.\n" };

export async function writeProject(folder: string): Promise<void> {
  const write = async (path: string, content: unknown): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), String(content));
  };
  const disabled = { file: "opencode.json", index: 1, spec: "@org/debug@1.0.0" };
  const workflows = {
    debug: pluginWorkflow("debug", { delivery: { kind: "plugin", disabled: [disabled] } }),
    lint: copiedWorkflow("lint", lint),
    review: pluginWorkflow("review"),
    tidy: parked(copiedWorkflow("tidy", tidy)),
  };
  await write(".git/HEAD", "ref: refs/heads/main\n");
  await write("opencode.json", config);
  await install({ write }, workflows, lint);
  await write(".opencode/agents/linter.md", "Lint my way.\n");
  await write(".opencode/agents/own.md", "Mine.\n");
  for (const [path, text] of Object.entries(tidy)) await write(`.opencode/hugo-disabled/tidy/${path}`, text);
}

function parked(workflow: LockedWorkflow): LockedWorkflow {
  if (workflow.delivery.kind !== "copy") throw new Error("Only copies are parked.");
  return { ...workflow, delivery: { ...workflow.delivery, parked: true } };
}

export async function runCommand(command: string, folder: string): Promise<unknown> {
  const context = contextOf({ dir: folder, home: join(folder, "../home"), env: {} });
  switch (command) {
    case "enable":
      return await enable.run(context, { ...input, name: [], all: true });
    case "disable":
      return await disable.run(context, { ...input, name: [], all: true });
    case "switch":
      return await switchTo.run(context, { ...input, name: ["tidy", "debug"] });
    case "remove":
      return await remove.run(context, { ...input, name: ["review", "lint", "tidy", "debug"] });
    case "nothing":
      return await enable.run(context, { ...input, name: [], all: true, dryRun: true });
    default:
      throw new Error(`There is no command ${command}.`);
  }
}

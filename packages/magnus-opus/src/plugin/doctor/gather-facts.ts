import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { worktreeOf } from "@atomic/workflows/internal/entities/worktree";
import type { AgentConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import { readWorkflow, type Workflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { testCommand } from "../../evidence/test-command.ts";
import { readTree } from "../../evidence/tree-hash.ts";
import { packageRoot } from "../../package-root.ts";
import { withCommands } from "../../run/command-names.ts";
import { lookUp } from "../../run/state.ts";
import { hasTests } from "../../run/test-files.ts";
import { runPlace, sessionsFolder, workplaceOf } from "../../sessions/workplace.ts";
import { MagnusSettings } from "../live/settings.ts";
import { adaptWorkflow } from "../setup/adapt-workflow.ts";
import { nameAgents } from "../setup/name-agents.ts";
import { nameCommands } from "../setup/name-commands.ts";
import { tools } from "../tools/tools.ts";
import type { DoctorFacts, WantedModel } from "./diagnose.ts";
import type { LoadedAgent, LoadedCommand, OpencodeAnswer } from "./loaded-opencode.ts";
import { missingProgram } from "./missing-program.ts";

/** Looks at the project and the settings, beside what OpenCode answered. Writes nothing. */
export async function gatherFacts(
  directory: string,
  path: string | undefined,
  opencode: OpencodeAnswer,
): Promise<DoctorFacts> {
  const repository = worktreeOf(directory);
  const workplace = workplaceOf({ directory, worktree: repository ?? "" });
  const settings = new MagnusSettings(workplace);
  const { config, stack } = settings;
  const adapted = adaptWorkflow(readWorkflow(packageRoot), { settings, workplace });
  const loaded = new Map((opencode.kind === "asked" ? opencode.loaded.agents : [])?.map((each) => [each.name, each]));
  const named = nameAgents(adapted, settings, (name) => isOther(name, adapted.agents, loaded));
  const commands = (opencode.kind === "asked" ? opencode.loaded.commands : undefined) ?? [];
  const workflow = nameCommands(named, settings, (name) => isOtherCommand(name, adapted.commands, commands));
  const tests = testCommand(workplace.directory, config.tests, stack.stack);
  const { fingerprints } = await readTree(workplace.worktree);
  return {
    opencode,
    agents: workflow.agents,
    roles: Object.fromEntries(Object.keys(workflow.agents).map((name) => [name, settings.roleOf(name) ?? name])),
    names: settings.names,
    commands: Object.keys(workflow.commands),
    commandNames: settings.commandNames,
    tools: tools.map(({ name }) => name),
    servers: Object.keys(workflow.mcp),
    wantedModels: wantedModels(settings, adapted.agents),
    settings: { files: settings.files, problems: settings.problems, file: settings.projectFile },
    stack,
    tests,
    missingProgram: "argv" in tests ? await missingProgram(tests, workplace.directory, path ?? "") : undefined,
    testFiles: [...fingerprints.keys()].filter((path) => hasTests(path, stack.stack.testFiles)).length,
    isRepository: repository !== undefined,
    closedFolders: [join(workplace.directory, sessionsFolder), dirname(runPlace(workplace, "x").seal)].flatMap(closed),
  };
}

/** `agents`: by our names. Those that were made for a review model are not named in the settings. */
function wantedModels(
  { config, roles, commandNames }: MagnusSettings,
  agents: Readonly<Record<string, AgentConfig>>,
): readonly WantedModel[] {
  const { planReview = [], codeReview = [], autoUse = false } = config.reviewModels ?? {};
  const ofSession = "the session's model is used instead";
  const inReviews = `${withCommands("/magnus-review", commandNames)} leaves it out${autoUse ? ", and in a run the session's model reviews instead" : ""}`;
  return [
    ...Object.entries(agents).flatMap(([name, { model }]) =>
      model === undefined || Object.hasOwn(roles, name) ? [] : [{ where: `agents.${name}`, model, instead: ofSession }],
    ),
    ...Object.entries(config.categories ?? {}).flatMap(([name, { model }]) => {
      const instead = "its agent's or the session's model is used instead";
      return model === undefined ? [] : [{ where: `categories.${name}`, model, instead }];
    }),
    ...(autoUse ? planReview : []).map((model) => ({ where: "reviewModels.planReview", model, instead: ofSession })),
    ...codeReview.map((model) => ({ where: "reviewModels.codeReview", model, instead: inReviews })),
  ];
}

/** Whether OpenCode has another agent with this name; ours has our description, and no other name. */
function isOther(
  name: string,
  ours: Readonly<Record<string, AgentConfig>>,
  loaded: ReadonlyMap<string, LoadedAgent>,
): boolean {
  const found = loaded.get(name);
  if (found === undefined) return false;
  const original = name.replace(/^magnus-(opus-)?/, "");
  const { description } = lookUp(ours, name) ?? lookUp(ours, original) ?? {};
  return (
    found.description !== description ||
    (name === original && loaded.get(`magnus-${name}`)?.description === description)
  );
}

/** The same for a command: ours has our template, in which it may have another name. */
function isOtherCommand(name: string, ours: Workflow["commands"], loaded: readonly LoadedCommand[]): boolean {
  const found = loaded.find((each) => each.name === name)?.template;
  if (found === undefined) return false;
  const bare = name.replace(/^magnus-(opus-)?/, "");
  return ![name, bare, `magnus-${bare}`].some((each) => {
    const { template } = lookUp(ours, each) ?? {};
    return template !== undefined && withCommands(template, { [each]: name }).trim() === found.trim();
  });
}

/** Why a run could not write to this folder, or to the nearest one above it that exists. */
function closed(folder: string): readonly string[] {
  if (!existsSync(folder) && dirname(folder) !== folder) return closed(dirname(folder));
  try {
    accessSync(folder, constants.W_OK);
    return statSync(folder).isDirectory() ? [] : [`${folder} is not a folder, so no run can start`];
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EACCES", "EPERM", "EROFS"].includes(code)) throw error;
    return [`${folder} cannot be written (${code}), so no run can start`];
  }
}

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { worktreeOf } from "@atomic/workflows/internal/entities/worktree";
import { readWorkflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { testCommand } from "../evidence/test-command.ts";
import { readTree } from "../evidence/tree-hash.ts";
import { packageRoot } from "../package-root.ts";
import { MagnusSettings } from "../plugin/live/settings.ts";
import { adaptWorkflow } from "../plugin/setup/adapt-workflow.ts";
import { tools } from "../plugin/tools/tools.ts";
import { hasTests } from "../run/test-files.ts";
import { sessionsFolder } from "../sessions/sessions.ts";
import { runPlace, workplaceOf } from "../sessions/workplace.ts";
import { askOpencode } from "./ask-opencode.ts";
import type { DoctorFacts } from "./diagnose.ts";

export interface DoctorOptions {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Instead of the one on the PATH. */
  readonly program?: string | undefined;
  /** Do not start OpenCode. */
  readonly isStatic: boolean;
}

/** Looks at the project, the settings and OpenCode. Writes nothing. */
export async function gatherFacts({ directory, env, program, isStatic }: DoctorOptions): Promise<DoctorFacts> {
  const repository = worktreeOf(directory);
  const workplace = workplaceOf({ directory, worktree: repository ?? "" });
  const settings = new MagnusSettings(workplace);
  const { config, stack } = settings;
  const workflow = adaptWorkflow(readWorkflow(packageRoot), { settings, workplace });
  const tests = testCommand(workplace.directory, config.tests, stack.stack);
  const { fingerprints } = await readTree(workplace.worktree);
  const named = Object.entries(workflow.agents).flatMap(([name, { model }]) =>
    model === undefined ? [] : [[`agents.${name}`, model] as const],
  );
  const { planReview = [], codeReview = [] } = config.reviewModels ?? {};
  const reviews = [...planReview, ...codeReview].map((model) => ["reviewModels", model] as const);
  return {
    opencode: isStatic ? { kind: "not-asked" } : await askOpencode(workplace.directory, env, program),
    agents: workflow.agents,
    roles: settings.roles,
    commands: Object.keys(workflow.commands),
    tools: tools.map(({ name }) => name),
    servers: Object.keys(workflow.mcp),
    wantedModels: Object.fromEntries([...reviews, ...named]),
    settings: { files: settings.files, problems: settings.problems, file: settings.projectFile },
    stack,
    tests,
    hasTestProgram: "argv" in tests && isProgram(tests.argv[0], workplace.directory, env.PATH ?? ""),
    testFiles: [...fingerprints.keys()].filter((path) => hasTests(path, stack.stack.testFiles)).length,
    isRepository: repository !== undefined,
    closedFolders: [join(workplace.directory, sessionsFolder), dirname(runPlace(workplace, "x").seal)].flatMap(closed),
  };
}

function isProgram(name: string, directory: string, path: string): boolean {
  const places = name.includes("/")
    ? [join(directory, name), name]
    : path.split(delimiter).map((folder) => join(folder, name));
  return places.some((place) => statSync(place, { throwIfNoEntry: false })?.isFile() === true);
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

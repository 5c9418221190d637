import { constants, cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Registers, registerKinds } from "@atomic/workflows/internal/hugo-lock/registers";
import type { Context } from "../context.ts";
import { packageFolder } from "../packages/package-folder.ts";
import { askOpencode } from "./opencode.ts";
import { isRecord } from "./query-opencode.ts";
import { trialProject } from "./trial-project.ts";

/** What a plugin adds to OpenCode, if OpenCode could be asked. */
export type Probed =
  | { readonly kind: "known"; readonly registers: Registers }
  | { readonly kind: "unknown"; readonly because: string };

/** Long enough for a cold start on a busy machine. */
const TIMEOUT = 60_000;

export interface ProbedPackage {
  readonly packageName: string;
  /** `…/node_modules/<packageName>`, next to its dependencies. */
  readonly folder: string;
  /** The file that OpenCode loads, in the package. */
  readonly entry: string;
}

/**
 * Loads a plugin in the real OpenCode, in a trial project, and returns what it adds. This runs the package's code, so the
 * user must have approved it. The code gets a copy: some plugins change their own folder.
 */
export async function probePlugin(context: Context, { packageName, folder, entry }: ProbedPackage): Promise<Probed> {
  const trial = trialProject(context, []);
  if (trial === undefined) return { kind: "unknown", because: "OpenCode is not on the PATH" };
  try {
    context.user.progress(`Asking OpenCode what ${packageName} registers`);
    const modules = folder.slice(0, -packageName.length);
    cpSync(modules, join(trial.package, "node_modules"), {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    });
    const answer = join(trial.project, "..", "answer.json");
    const probe = pathToFileURL(join(packageFolder(), "probe", "register-plugin.mjs")).href;
    const file = join(trial.package, "node_modules", packageName, entry);
    trial.configure([[probe, { entry: pathToFileURL(file).href, answer }]]);
    const asked = await askOpencode({ ...trial.opencode, timeout: TIMEOUT }, ["config"]);
    const answered = readAnswer(answer);
    if (answered !== undefined) return answered;
    return { kind: "unknown", because: asked.kind === "silent" ? asked.because : "OpenCode did not load it" };
  } finally {
    trial.remove();
  }
}

/** The plugin's own code could have written it, so only short, plain lists of names count. */
function readAnswer(file: string): Probed | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    if (error instanceof SyntaxError) return { kind: "unknown", because: "its answer cannot be read" };
    throw error;
  }
  const found = isRecord(answer) ? answer : {};
  if (typeof found.problem === "string")
    return { kind: "unknown", because: `it fails to load: ${found.problem.slice(0, 300)}` };
  const lists = registerKinds.map((kind) => {
    const names: readonly unknown[] = Array.isArray(found[kind]) ? found[kind] : [];
    const plain = names.filter((name): name is string => typeof name === "string" && name !== "" && name.length <= 100);
    return [kind, [...new Set(plain)].sort().slice(0, 500)] as const;
  });
  return { kind: "known", registers: Object.fromEntries(lists.filter(([, names]) => names.length > 0)) };
}

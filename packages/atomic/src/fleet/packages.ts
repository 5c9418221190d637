// The packages that Hugo installed in a project: a run names them, and a worker must have exactly these.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { emptyLock, type Lock, type LockedWorkflow, storeEntry } from "@atomic/workflows/internal/hugo-lock/lock";
import { parseLock } from "@atomic/workflows/internal/hugo-lock/parse-lock";
import type { RunPackages } from "../runs/run-setup.ts";

const folder = ".opencode";

/** By workflow: the package, its version and the hash of its files. */
export function packagesOf(project: string): RunPackages {
  return Object.fromEntries([...lockOf(project).workflows].map(([name, workflow]) => [name, versionOf(workflow)]));
}

function lockOf(project: string): Lock {
  const path = join(project, folder, "hugo.json");
  return existsSync(path) ? parseLock(readFileSync(path, "utf8"), path) : emptyLock;
}

function versionOf({ package: name, version, tree }: LockedWorkflow): string {
  return `${name}@${version}${tree === undefined ? "" : ` ${tree}`}`;
}

/** Refuses a project whose packages are not those that the run was started with. */
export function refuseOtherPackages(project: string, wanted: RunPackages): void {
  const found = packagesOf(project);
  const differences = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].flatMap((name) => {
    const [run, here] = [wanted[name], found[name]].map((each) => each?.split(" ")[0]);
    if (wanted[name] === found[name]) return [];
    if (here === undefined) return [`${run} is missing`];
    if (run === undefined) return [`${here} is not part of the run`];
    return [run === here ? `${here} has other files` : `${here} is installed instead of ${run}`];
  });
  if (differences.length > 0) {
    throw new Refusal("packages-differ", {
      message: safe`The packages here are not those that the run was started with: ${differences.join("; ")}`,
      hint: "Commit .opencode/hugo.json with the project, push it, and start the run again.",
      at: join(project, folder, "hugo.json"),
      exitCode: 3,
    });
  }
  const missing = missingPackages(project);
  if (missing.length === 0) return;
  throw new Refusal("packages-missing", {
    message: safe`Packages that Hugo installed are missing here: ${missing.join(", ")}`,
    hint: "Install Hugo on this machine (npm install -g hugo-pm), so its worker can download them.",
    at: join(project, folder, "hugo.json"),
    exitCode: 3,
  });
}

/** Plugins that OpenCode would load from Hugo's store, which git does not contain. */
function missingPackages(project: string): string[] {
  return [...lockOf(project).workflows].flatMap(([name, workflow]) => {
    const { delivery, tree, dependencies, package: packageName, version } = workflow;
    if (delivery.kind !== "plugin" || delivery.disabled !== undefined || tree === undefined) return [];
    const path = join(
      project,
      folder,
      ".hugo/store",
      storeEntry(name, tree, dependencies),
      "node_modules",
      packageName,
    );
    return existsSync(path) ? [] : [`${packageName}@${version}`];
  });
}

/**
 * Downloads what hugo.json lists and the store lacks, as in any fresh clone; Hugo checks every hash. Without Hugo on this
 * machine, nothing happens, and the run is refused.
 */
export async function restorePackages(project: string, signal: AbortSignal): Promise<void> {
  if (missingPackages(project).length === 0) return;
  const child = spawn("hugo-pm", ["ci", "--json"], { cwd: project, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-4000);
    });
  }
  const end = (): void => {
    child.kill("SIGTERM");
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
  };
  signal.addEventListener("abort", end);
  const code = await new Promise<number | null | "absent">((resolve, reject) => {
    if (signal.aborted) end();
    child.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "ENOENT" ? resolve("absent") : reject(error),
    );
    child.once("close", resolve);
  }).finally(() => signal.removeEventListener("abort", end));
  if (code === 0 || code === "absent") return;
  throw new Refusal("packages-missing", {
    message: safe`hugo-pm ci ended with ${String(code)}: ${output.trim()}`,
    at: project,
    hint: "Run it in a clone of the project to see what is missing.",
    exitCode: 6,
  });
}

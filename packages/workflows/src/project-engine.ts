import { accessSync, constants, existsSync, lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isExplained } from "@atomic/durable-files/explained-error";
import { systemCode } from "./entities/system-error.ts";
import { fileStore } from "./run/embedded/file-store.ts";
import { makeRunsFolder, runsFolder } from "./run/embedded/runs-folder.ts";
import type { LocalEngine } from "./run/engine.ts";
import { type EngineOptions, StoreEngine } from "./run/local-engine.ts";
import { RunError } from "./run/run-error.ts";
import type { RunStore } from "./run/run-store.ts";

/** The engine for a project's runs. Everything that reads or runs them gets it here, so all agree on where they are. */
export function projectEngine(project: string, options: Omit<EngineOptions, "folder">): LocalEngine {
  const folder = runsFolder(project);
  const store = fileStore(folder);
  const writing: Pick<RunStore, "create" | "open" | "post"> = {
    create: async (runId, event) => {
      try {
        makeRunsFolder(folder);
        return await store.create(runId, event);
      } catch (error) {
        throw explainUnwritable(error, project);
      }
    },
    open: (runId, how) => store.open(runId, how).catch((error) => Promise.reject(explainUnwritable(error, project))),
    post: (runId, message, after) =>
      store.post(runId, message, after).catch((error) => Promise.reject(explainUnwritable(error, project))),
  };
  return new StoreEngine({ ...store, ...writing }, { ...options, folder: project });
}

/** A run exists only in its journal, so nothing can happen in a project that cannot be written. */
function explainUnwritable(error: unknown, project: string): unknown {
  if (isExplained(error)) return error;
  const runs = runsFolder(project);
  for (const path of [dirname(runs), runs]) {
    const own = lstatSync(path, { throwIfNoEntry: false });
    const target = statSync(path, { throwIfNoEntry: false });
    if (own === undefined || target?.isDirectory()) continue;
    return new RunError("not-writable", {
      message: `A run keeps its journal in .atomic/runs, and ${path} is ${target === undefined ? "a link to a folder that does not exist" : "not a folder"}`,
      hint: "Move it somewhere else, then run the command again. Nothing was started.",
      cause: error,
    });
  }
  // Asked again, because Node reports a folder that it may not create as one that does not exist.
  const folder = [runsFolder(project), join(project, ".atomic"), project].find((path) => existsSync(path));
  let code: string | undefined;
  try {
    accessSync(folder ?? project, constants.W_OK);
  } catch (refusal) {
    code = systemCode(refusal);
  }
  if (code === undefined) return error;
  return new RunError("not-writable", {
    message: `A run keeps its journal in .atomic/runs, and the project ${project} cannot be written (${code})`,
    hint: "Make the project writable, or run the workflow in a copy of it. Nothing was started.",
    cause: error,
  });
}

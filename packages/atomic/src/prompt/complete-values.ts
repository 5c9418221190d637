// The values that Tab offers: files of the project, runs, models, and what else a hint asks for.
import { type Dirent, readdirSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { AtomicContext } from "../context.ts";
import type { ValueSource } from "./line/argument-hint.ts";
import { promptHosts } from "./line/host-command.ts";

export interface ValueSources {
  openRuns(): readonly string[];
  /** Those that have ended, too. */
  runs(): Promise<readonly string[]>;
  workflows(): readonly string[];
  models(): Promise<readonly string[]>;
  names(): readonly string[];
}

export async function valuesFrom(
  sources: readonly ValueSource[],
  word: string,
  context: Pick<AtomicContext, "cwd" | "home">,
  known: ValueSources,
): Promise<string[]> {
  const values: string[] = [];
  for (const source of sources) {
    switch (source) {
      case "file":
        values.push(...filesFor(word, context));
        break;
      case "workflow":
        values.push(...known.workflows());
        break;
      case "open run":
        values.push(...known.openRuns());
        break;
      case "run":
        values.push(...(await known.runs()));
        break;
      case "model":
        values.push(...(await known.models()));
        break;
      case "provider":
        values.push(...new Set((await known.models()).flatMap((model) => model.split("/").slice(0, -1).slice(0, 1))));
        break;
      case "host":
        values.push(...promptHosts);
        break;
      case "entry":
        values.push(...known.names());
        break;
    }
  }
  return values;
}

/** A longer list is not worth reading. */
const mostFiles = 500;

/** Files and folders that continue the word, written as it is: `src/`, `~/notes`, `@README`. */
function filesFor(word: string, { cwd, home }: Pick<AtomicContext, "cwd" | "home">): string[] {
  const mark = word.startsWith("@") ? "@" : "";
  const typed = word.slice(mark.length);
  const folder = typed.slice(0, typed.lastIndexOf("/") + 1);
  const start = typed.slice(folder.length);
  const expanded = folder.startsWith("~/") ? join(home, folder.slice(2)) : folder;
  const path = isAbsolute(expanded) ? expanded : join(cwd, expanded);
  const found = entriesOf(path).filter(
    ({ name }) => name.startsWith(".") === start.startsWith(".") && !/\s/.test(name),
  );
  const names = found.map((entry) => `${mark}${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`);
  return names.sort().slice(0, mostFiles);
}

function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // Half a path leads nowhere yet.
    if (["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG"].includes(code)) return [];
    throw error;
  }
}

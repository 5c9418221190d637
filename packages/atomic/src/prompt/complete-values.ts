// The values that Tab offers: files of the project, runs, models, and what else a hint asks for.
import { type Dirent, readdirSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { lookOr } from "@atomic/workflows/internal/entities/system-error";
import { type GraphJson, nodesWithPaths } from "@atomic/workflows/internal/graph/graph-json";
import type { AtomicContext } from "../context.ts";
import { runsOf } from "../runs/runs-folder.ts";
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
  context: AtomicContext,
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
      default:
        if (source.startsWith(nodeOf)) values.push(...(await nodesOf(source.slice(nodeOf.length), context, known)));
    }
  }
  return values;
}

const nodeOf = "node of ";

/** The nodes of the run, by which `show` finds them; none if it is not clear which run is meant. */
async function nodesOf(typed: string, context: AtomicContext, known: ValueSources): Promise<string[]> {
  const ids = await known.runs();
  const begun = ids.filter((id) => id.toLowerCase().startsWith(typed.toLowerCase()));
  const runId = ids.find((id) => id === typed) ?? (begun.length === 1 ? begun[0] : undefined);
  if (runId === undefined) return [];
  const { engine } = await runsOf(context, undefined);
  const { graph } = await engine.state(runId);
  return Array.from(nodesWithPaths(graph as unknown as GraphJson), ({ node }) => node.id);
}

/** A longer list is not worth reading. */
const mostFiles = 500;

/**
 * Files and folders that continue the word, written as it is: `src/`, `~/notes`, `@README`. If none does, its last part may
 * be meant, as behind a quote that begins a sentence.
 */
function filesFor(word: string, context: Pick<AtomicContext, "cwd" | "home">): string[] {
  const files = filesIn(word, context);
  const last = /\s["']?(\S*)$/.exec(word)?.[1];
  if (last === undefined || files.some((file) => continues(file, word))) return files;
  return [...files, ...filesIn(last, context)];
}

/** All that are in the word's folder; those that begin like it first. */
function filesIn(word: string, { cwd, home }: Pick<AtomicContext, "cwd" | "home">): string[] {
  const mark = word.startsWith("@") ? "@" : "";
  const typed = word.slice(mark.length);
  const folder = typed.slice(0, typed.lastIndexOf("/") + 1);
  const start = typed.slice(folder.length);
  const expanded = folder.startsWith("~/") ? join(home, folder.slice(2)) : folder;
  const path = isAbsolute(expanded) ? expanded : join(cwd, expanded);
  const found = entriesOf(path).filter(({ name }) => name.startsWith(".") === start.startsWith("."));
  const names = found.map((entry) => `${mark}${folder}${entry.name}${isFolder(path, entry) ? "/" : ""}`).sort();
  const fitting = names.filter((name) => continues(name, word));
  return [...fitting, ...names.filter((name) => !continues(name, word))].slice(0, mostFiles);
}

function continues(file: string, word: string): boolean {
  return file.toLowerCase().startsWith(word.toLowerCase());
}

function isFolder(parent: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  // It may lead nowhere, in circles, or where you may not look.
  return lookOr(false, () => statSync(join(parent, entry.name)).isDirectory());
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

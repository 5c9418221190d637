import { join } from "node:path";
import { type Hash, isHash } from "@atomic/durable-files/files/hash";
import { objectIn } from "@atomic/durable-files/jsonc/object-in";
import { namesIn, readPlain } from "./disk.ts";

/** What one command changed, with everything needed to undo it. */
export interface Generation {
  readonly title: string;
  readonly files: readonly GenerationFile[];
}

export interface GenerationFile {
  /** As `portablePath` writes it. */
  readonly path: string;
  /** Missing if there was no such file; its content is among the bases. */
  readonly before?: { readonly hash: Hash; readonly mode: number };
  /** Missing if the file was deleted. */
  readonly after?: Hash;
}

/** How many commands can be undone. */
export const KEPT_GENERATIONS = 20;

const VERSION = 1;

export function generationPath(stateFolder: string, number: number): string {
  return join(stateFolder, "generations", `${String(number).padStart(6, "0")}.json`);
}

export function generationNumbers(stateFolder: string): number[] {
  const names = namesIn(join(stateFolder, "generations")).filter((name) => /^\d{6,12}\.json$/.test(name));
  return names.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
}

export function printGeneration({ title, files }: Generation): string {
  return `${JSON.stringify({ version: VERSION, title, files }, null, 1)}\n`;
}

/** Undefined if it does not exist or has another form: the folder may come with a repository. */
export function readGeneration(stateFolder: string, number: number): Generation | undefined {
  const bytes = readPlain(generationPath(stateFolder, number))?.bytes;
  if (bytes === undefined) return undefined;
  const value = objectIn(bytes.toString("utf8"));
  if (value === undefined || value.version !== VERSION || typeof value.title !== "string") return undefined;
  const { title, files } = value;
  return Array.isArray(files) && files.every(isFile) ? { title, files } : undefined;
}

function isFile(value: unknown): value is GenerationFile {
  if (!isObject(value) || typeof value.path !== "string") return false;
  const { before, after } = value;
  const isHashText = (hash: unknown): boolean => typeof hash === "string" && isHash(hash);
  const isState =
    isObject(before) && isHashText(before.hash) && Number.isInteger(before.mode) && Number(before.mode) <= 0o7777;
  return (before === undefined || isState) && (after === undefined || isHashText(after));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

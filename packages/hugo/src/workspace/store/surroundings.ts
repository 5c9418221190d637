// What is around the packages in the store decides what their code imports, so it is Hugo's own, too.
import * as fs from "node:fs";
import { join } from "node:path";
import { removeTree } from "../../sources/remove-tree.ts";
import { namesIn, randomName, unlessMissing, writeNew } from "./disk.ts";

/** Something around a plugin's packages that is not as Hugo leaves it. */
export interface SurroundingsProblem {
  /** `.hugo/store/review-0123456789abcdef/tsconfig.json` */
  readonly path: string;
  readonly how: "missing" | "changed" | "added";
}

/**
 * OpenCode's Bun applies the nearest tsconfig.json to every import, also below `node_modules`. Without one of its own,
 * the project's `paths` and `baseUrl` would replace a plugin's dependencies.
 */
const TSCONFIG = "tsconfig.json";
const NO_SETTINGS = Buffer.from("{}\n");

/** Gives a new entry of the store the file that keeps the project's settings away from its code. */
export function isolate(entry: string): void {
  writeNew(join(entry, TSCONFIG), { bytes: NO_SETTINGS, executable: false });
}

/** What is wrong around the packages of an entry. The next command that holds the lock repairs it. */
export function surroundingsProblems(stateFolder: string, entry: string): SurroundingsProblem[] {
  const folder = join(stateFolder, "store", entry);
  const own = isPlainWith(join(folder, TSCONFIG), NO_SETTINGS);
  const problems: SurroundingsProblem[] = own === "same" ? [] : [{ path: `store/${entry}/${TSCONFIG}`, how: own }];
  for (const name of foreignIn(folder)) problems.push({ path: `store/${entry}/${name}`, how: "added" });
  for (const path of ["store/node_modules", "node_modules"]) {
    if (exists(join(stateFolder, path))) problems.push({ path, how: "added" });
  }
  return problems.map(({ path, how }) => ({ path: `.hugo/${path}`, how }));
}

/** For the holder of the lock. */
export function repairSurroundings(stateFolder: string): void {
  const store = join(stateFolder, "store");
  for (const path of [join(stateFolder, "node_modules"), join(store, "node_modules")])
    if (exists(path)) removeTree(path);
  for (const entry of namesIn(store)) {
    const folder = join(store, entry);
    // The end of the command removes what is not an entry.
    if (!fs.lstatSync(folder).isDirectory()) continue;
    for (const name of foreignIn(folder)) removeTree(join(folder, name));
    const file = join(folder, TSCONFIG);
    if (isPlainWith(file, NO_SETTINGS) === "same") continue;
    removeTree(file);
    const staged = join(stateFolder, "staging", randomName());
    fs.mkdirSync(staged, { recursive: true });
    isolate(staged);
    fs.renameSync(join(staged, TSCONFIG), file);
  }
}

function foreignIn(entry: string): string[] {
  return namesIn(entry).filter((name) => name !== "node_modules" && name !== TSCONFIG);
}

function exists(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A link is changed, wherever it leads. */
function isPlainWith(path: string, bytes: Buffer): "same" | "changed" | "missing" {
  const stats = unlessMissing(() => fs.lstatSync(path, { throwIfNoEntry: false }));
  if (stats === undefined) return "missing";
  return stats.isFile() && stats.size === bytes.length && fs.readFileSync(path).equals(bytes) ? "same" : "changed";
}

// From what is to be in which file to one transaction, with a generation so that it can be taken back.

import type { Hash } from "@atomic/durable-files/files/hash";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { HugoError } from "../errors.ts";
import { hashOf } from "../packages/hash.ts";
import { type Place, portablePath } from "./place.ts";
import type { Reads, SeenFile } from "./reads.ts";
import { Bases } from "./store/bases.ts";
import {
  type GenerationFile,
  generationNumbers,
  generationPath,
  KEPT_GENERATIONS,
  printGeneration,
} from "./store/generation.ts";
import type { OpenState } from "./with-state.ts";

/** What is to be in a file; undefined: no file. */
export type Wanted =
  | {
      readonly bytes: Uint8Array;
      /** If it matters; the other permission bits stay. */
      readonly executable?: boolean;
      /** All permission bits, instead. */
      readonly mode?: number;
    }
  | undefined;

interface Commit {
  readonly place: Place;
  readonly reads: Reads;
  readonly title: string;
  /** By absolute path. */
  readonly wanted: ReadonlyMap<string, Wanted>;
}

/** One file that will really be another one afterwards. */
interface FileStep {
  readonly path: string;
  readonly before: SeenFile | undefined;
  readonly after: { readonly bytes: Uint8Array; readonly hash: Hash; readonly mode: number | undefined } | undefined;
}

/** All of it, or nothing. Writes nothing at all if everything is already as it is wanted. */
export async function commit({ place, reads, title, wanted }: Commit, { held, notices }: OpenState): Promise<void> {
  const steps = [...wanted].map(([path, file]) => stepOf(path, reads.file(path), file)).filter(changesSomething);
  if (steps.length === 0) return;
  const { stateFolder } = place;
  new Bases(stateFolder).put(steps.flatMap(({ before }) => before?.bytes ?? []));
  const numbers = generationNumbers(stateFolder);
  const files = steps.map((step) => recordOf(place, step));
  const outdated = numbers.slice(0, Math.max(0, numbers.length + 1 - KEPT_GENERATIONS));
  // What was only read has no part in the transaction, but the decision rests on it.
  refuseChanged(reads.changed(reads.paths.filter((path) => !wanted.has(path))));
  const { keptFolders = [] } = await transaction(
    stateFolder,
    [
      ...steps.map(changeOf),
      {
        path: generationPath(stateFolder, (numbers.at(-1) ?? 0) + 1),
        content: printGeneration({ title, files }),
        expect: "absent" as const,
      },
      ...outdated.map((number) => ({ path: generationPath(stateFolder, number), delete: true as const })),
    ],
    { lock: held, pruneEmptyUpTo: place.folder },
  );
  for (const folder of keptFolders) notices.push(`The empty folder ${folder} may not be removed and stays.`);
}

function stepOf(path: string, before: SeenFile | undefined, wanted: Wanted): FileStep {
  if (wanted === undefined) return { path, before, after: undefined };
  const { bytes, executable, mode = modeFor(before?.mode, executable) } = wanted;
  return { path, before, after: { bytes, hash: hashOf(bytes), mode } };
}

/** Undefined leaves it as it is, or to the umask. Who may read the file may run it, nobody else. */
function modeFor(before: number | undefined, executable: boolean | undefined): number | undefined {
  if (executable === undefined) return undefined;
  if (before === undefined) return executable ? 0o777 & ~process.umask() : undefined;
  const isExecutable = (before & 0o111) !== 0;
  if (isExecutable === executable) return before;
  return executable ? before | ((before & 0o444) >> 2) : before & ~0o111;
}

function changesSomething({ before, after }: FileStep): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return before.hash !== after.hash || (after.mode !== undefined && after.mode !== before.mode);
}

function recordOf(place: Place, { path, before, after }: FileStep): GenerationFile {
  return {
    path: portablePath(place, path),
    ...(before !== undefined && { before: { hash: before.hash, mode: before.mode } }),
    ...(after !== undefined && { after: after.hash }),
  };
}

function changeOf({ path, before, after }: FileStep): Parameters<typeof transaction>[1][number] {
  const expect = before?.hash ?? "absent";
  if (after === undefined) return { path, delete: true, expect };
  return { path, content: after.bytes, expect, ...(after.mode !== undefined && { mode: after.mode }) };
}

function refuseChanged(paths: readonly string[]): void {
  const [first] = paths;
  if (first === undefined) return;
  throw new HugoError("changed-meanwhile", {
    message: `${paths.join(", ")} was changed while Hugo was at work; nothing was written`,
    at: first,
    hint: "Run the command again: it will start from the files as they are now.",
  });
}

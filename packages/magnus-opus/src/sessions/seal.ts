// A second record of how a journal ends. A program that knows the format can fake the journal's own checksums; the seal shows
// whether the journal is still the one that we wrote.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { homeFolder } from "@atomic/terminal/home-folder";
import * as z from "zod/mini";

const end = { n: z.int().check(z.gte(0)), hash: z.string() };
const seal = z.object({ ...end, root: z.optional(z.string()), next: z.optional(z.object(end)) });
/**
 * The number of records and a hash of them all. `root`: the run's root session. `next`: the same after the write in progress, so
 * a crash in between does not raise an alarm.
 */
export type Seal = z.infer<typeof seal>;

export const unsealed: Seal = { n: 0, hash: "" };

export function sealAfter({ n, hash }: Seal, event: unknown): Seal {
  const next = createHash("sha256").update(hash).update(JSON.stringify(event)).digest("hex");
  return { n: n + 1, hash: next };
}

export function sealOf(records: readonly unknown[]): Seal {
  return records.reduce<Seal>(sealAfter, unsealed);
}

/** How many of the records the seal covers; undefined if they do not match it. */
export function sealedCount(records: readonly unknown[], { n, hash, next }: Seal): number | undefined {
  const ends = [...(next === undefined ? [] : [next]), { n, hash }];
  return ends.find((end) => records.length >= end.n && sealOf(records.slice(0, end.n)).hash === end.hash)?.n;
}

/** Outside the project, where a run's agents may not write. */
export function sealPath(journal: string, env: NodeJS.ProcessEnv = process.env): string {
  const home = env.XDG_STATE_HOME || join(homeFolder(env), ".local", "state");
  const name = createHash("sha256").update(resolve(journal)).digest("hex").slice(0, 24);
  return join(home, "magnus-opus", `${name}.seal.json`);
}

/** Undefined if there is no readable seal. */
export function readSeal(path: string): Seal | undefined {
  try {
    return seal.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof SyntaxError || code === "ENOENT" || code === "EISDIR") return undefined;
    throw error;
  }
}

export function writeSeal(path: string, value: Seal): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}`;
  writeFileSync(next, JSON.stringify(value));
  // A folder in the seal's place must not stop the run.
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) renameSync(path, `${path}.folder-${Date.now()}`);
  renameSync(next, path);
}

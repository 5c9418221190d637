// The files in a session folder, without the run's own record.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MagnusState } from "../run/state.ts";
import { entriesOf } from "./sessions.ts";

export interface SeenArtifact {
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

/** Files that differ from the state's hashes. */
export function changedArtifacts(folder: string, known: MagnusState["artifacts"]): readonly SeenArtifact[] {
  const found = artifactsIn(folder);
  const paths = new Set(found.map(({ path }) => path));
  const gone = Object.keys(known).filter((path) => !paths.has(path));
  return [
    ...found.filter(({ path, hash, bytes }) => (bytes > 0 ? known[path] !== hash : Object.hasOwn(known, path))),
    ...gone.map((path) => ({ path, hash: "", bytes: 0 })),
  ];
}

function artifactsIn(folder: string, below = ""): readonly SeenArtifact[] {
  return entriesOf(join(folder, below)).flatMap((entry) => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (/^(journal|session-meta|\.)/.test(path)) return [];
    if (entry.isDirectory()) return artifactsIn(folder, path);
    if (!entry.isFile()) return []; // a link may lead elsewhere
    const bytes = readFileSync(join(folder, path));
    return [{ path, hash: artifactHash(bytes), bytes: bytes.length }];
  });
}

export function artifactHash(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

import { existsSync, realpathSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { withFacts } from "../../file-entity.ts";
import { loadPlace } from "../../load.ts";
import { readWorkflowFile } from "../atomic.ts";
import type { Reading, SourceFile } from "../format.ts";
import { leadsOut } from "./leads-out.ts";
import type { LockedCopy } from "./lock.ts";

const readWorkflow = readWorkflowFile("hugo");

/** The graphs among the files that Hugo copied beside its lock. */
export function loadCopied({ name, modules }: LockedCopy, lock: SourceFile): Reading {
  const root = dirname(lock.path);
  const there = modules.filter((module) => existsSync(join(root, module)));
  const loads = there.map((module) => loadModule(name, module, root, lock));
  return {
    entities: loads.flatMap(({ entities }) => entities),
    diagnostics: loads.flatMap(({ diagnostics }) => diagnostics),
  };
}

function loadModule(workflow: string, module: string, root: string, { location, place }: SourceFile): Reading {
  const path = join(root, module);
  if (!realpathSync.native(path).startsWith(realpathSync.native(root) + sep)) {
    return { entities: [], diagnostics: [leadsOut(path)] };
  }
  const read = (file: SourceFile): Reading => {
    const { entities, diagnostics } = readWorkflow(file);
    const owned = entities.map((entity) => withFacts(entity, { source: { ...entity.source, workflow } }));
    return { entities: owned, diagnostics };
  };
  return loadPlace(
    { kind: "config", types: ["workflow"], path: posix.join(posix.dirname(place), module), read },
    path,
    location,
  );
}

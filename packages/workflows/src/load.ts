import { join } from "node:path";
import type { Diagnostic } from "./diagnostic.ts";
import { listFiles } from "./discover.ts";
import type { Entity, EntityLocation } from "./entity.ts";
import type { Format, Place, SourceFile } from "./formats/format.ts";
import { readTextFile } from "./read-file.ts";

export interface Loaded {
  readonly entities: readonly Entity[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Everything that one format has in one location below `base` (a project or a home folder). A file that cannot be read
 * costs a diagnostic, never another file.
 *
 * Reading is synchronous: for many small files Node is several times slower through promises.
 */
export function loadFormat(format: Format, base: string, location: Exclude<EntityLocation, "builtin">): Loaded {
  const entities: Entity[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const place of format.places) {
    if (place.location !== location) continue;
    for (const file of filesOf(place, base, diagnostics)) {
      const reading = place.read(file);
      entities.push(...reading.entities);
      diagnostics.push(...reading.diagnostics);
    }
  }
  return { entities, diagnostics };
}

function* filesOf(place: Place, base: string, diagnostics: Diagnostic[]): Iterable<SourceFile> {
  const root = join(base, place.path);
  const { location } = place;
  const listed =
    place.kind === "folder"
      ? listFiles(root, { pattern: place.pattern })
      : { files: [{ path: root, relative: place.path.slice(place.path.lastIndexOf("/") + 1) }], diagnostics: [] };
  diagnostics.push(...listed.diagnostics);
  for (const { path, relative } of listed.files) {
    const file = readTextFile(path);
    if (file.kind === "text") yield { path, relative, text: file.text, location, place: place.path };
    // Config files are optional; a listed file that is gone again was never there either.
    else if (file.diagnostic.code !== "file-missing") diagnostics.push(file.diagnostic);
  }
}

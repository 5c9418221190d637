import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeEntity, UNREADABLE } from "./define-entity.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { listFiles, unreadableFolder } from "./discover.ts";
import type { Entity, EntityLocation } from "./entity.ts";
import type {
  ConfigPlace,
  Environment,
  FolderPlace,
  Format,
  FormatPlace,
  FoundPlace,
  GeneralFile,
  Reading,
  SourceFile,
} from "./format.ts";
import { parseFrontmatter } from "./frontmatter/parse.ts";
import { stringOf } from "./frontmatter/yaml-block.ts";
import { readSmallText, readTextFile } from "./read-file.ts";
import { lookOr, systemCode } from "./system-error.ts";

export interface Loaded {
  readonly entities: readonly Entity[];
  readonly diagnostics: readonly Diagnostic[];
  /** What OpenCode's config files say about every agent. */
  readonly generalFiles?: readonly GeneralFile[];
}

export interface LoadOptions {
  /**
   * Called once for each place that exists, with a text that is the same however the place is reached; `false` skips it.
   * So a home folder that is also the project, or a link from one to the other, is not loaded twice.
   */
  readonly claim?: (place: string) => boolean;
  /** Called with each file that was read. */
  readonly onFile?: (file: SourceFile) => void;
  readonly environment?: { readonly env: Environment };
  /** How many folders above the project the base is. */
  readonly above?: number | undefined;
  /** Where each place is. Default: below the base. */
  readonly locate?: ((place: FormatPlace) => readonly FoundPlace[]) | undefined;
}

/**
 * Loads everything that one format has in one location below `base` (a project or a home folder). A file that cannot be
 * read gives a diagnostic and does not affect other files.
 *
 * Reading is synchronous: for many small files Node is several times slower through promises.
 *
 * @example
 * const { entities, diagnostics } = loadFormat(claude, "/my/project", "project");
 */
export function loadFormat(
  format: Format,
  base: string,
  location: Exclude<EntityLocation, "builtin">,
  options: LoadOptions = {},
): Loaded {
  // One diagnostic for a whole folder that cannot be entered, instead of one for each place in it.
  try {
    if (!statSync(base).isDirectory()) return { entities: [], diagnostics: [unreadableFolder(base, "ENOTDIR")] };
    accessSync(base, constants.X_OK);
  } catch (error) {
    const code = systemCode(error);
    if (code !== "ENOENT") return { entities: [], diagnostics: [unreadableFolder(base, code)] };
    const [message, hint] = ["The folder does not exist.", "Check the path."];
    return { entities: [], diagnostics: [{ severity: "warning", code: "folder-missing", message, path: base, hint }] };
  }
  const entities: Entity[] = [];
  const diagnostics: Diagnostic[] = [];
  const general: GeneralFile[] = [];
  const { claim, locate = (place) => below(base, place) } = options;
  for (const place of format.places) {
    if (place.location !== location) continue;
    for (const { path: root, readBy } of locate(place)) {
      // A circular link, a file in place of a folder, a folder without permission: reading it reports what is wrong.
      if (!lookOr(true, () => statSync(root, { throwIfNoEntry: false }) !== undefined)) continue;
      const what = place.kind === "folder" ? `${place.type} ${place.pattern}` : "config";
      if (claim?.(`${format.provider} ${what} ${lookOr(resolve(root), () => realpathSync.native(root))}`) === false)
        continue;
      const loaded = loadPlace(place, root, location, { ...options, locate, readBy });
      append(entities, loaded.entities);
      append(diagnostics, loaded.diagnostics);
      append(general, loaded.generalFiles ?? []);
    }
  }
  return { entities, diagnostics, ...(general.length > 0 && { generalFiles: general }) };
}

/** Where a place is if no variable moves it. */
function below(base: string, { path }: FormatPlace): readonly FoundPlace[] {
  return path.startsWith("OPENCODE_CONFIG") ? [] : [{ path: join(base, path) }];
}

type ReadablePlace = Omit<FolderPlace, "location" | "type"> | Omit<ConfigPlace, "location">;

/**
 * Loads everything in one place, which may be anywhere.
 *
 * @example
 * const [skills] = agentSkills.places;
 * if (skills !== undefined) loadPlace(skills, "/my/package/skills", "project").entities;
 */
export function loadPlace(
  place: ReadablePlace,
  root: string,
  location: EntityLocation,
  {
    onFile,
    environment,
    locate,
    above,
    readBy,
  }: Omit<LoadOptions, "claim"> & { readonly readBy?: SourceFile["readBy"] | undefined } = {},
): Loaded {
  const shared = { location, place: place.path, ...(above !== undefined && { above }), ...(readBy && { readBy }) };
  const listed =
    place.kind === "folder"
      ? listFiles(root, { pattern: place.pattern })
      : {
          files: [{ path: root, relative: place.path.slice(place.path.lastIndexOf("/") + 1) }],
          diagnostics: [],
          broken: [],
        };
  const entities: Entity[] = [];
  const reported = new Set<Diagnostic>();
  for (const { path, relative, diagnostic } of listed.broken) {
    const disabled = disabledIn(place, { ...shared, path, relative, text: "" }, diagnostic);
    append(entities, disabled);
    if (disabled.length > 0) reported.add(diagnostic);
  }
  const diagnostics = listed.diagnostics.filter((diagnostic) => !reported.has(diagnostic));
  const general: GeneralFile[] = [];
  for (const { path, relative } of listed.files) {
    const small = readSmallText(path);
    const read = small === undefined ? readTextFile(path) : ({ kind: "text", text: small } as const);
    if (read.kind === "unreadable") {
      // Config files are optional, and a listed file may have been deleted since.
      if (read.diagnostic.code === "file-missing") continue;
      const disabled = disabledIn(place, { ...shared, path, relative, text: "" }, read.diagnostic);
      append(entities, disabled);
      if (disabled.length === 0) {
        const code = place.kind === "config" ? place.unreadableCode : undefined;
        diagnostics.push(code === undefined ? read.diagnostic : { ...read.diagnostic, code });
      }
      if (place.kind === "config" && place.limitsAll && read.diagnostic.code !== "file-not-regular") {
        general.push({ path, location, place: place.path, keys: {}, problem: read.diagnostic.message });
      }
      continue;
    }
    const file = {
      path,
      relative,
      text: read.text,
      ...shared,
      ...(place.kind === "config" && { locate }),
      ...environment,
    };
    onFile?.(file);
    const reading = readSafely(place, file);
    append(entities, reading.entities);
    append(diagnostics, reading.diagnostics);
    if (reading.general !== undefined) general.push(reading.general);
  }
  return { entities, diagnostics, ...(general.length > 0 && { generalFiles: general }) };
}

/**
 * A reader should never throw, whatever the bytes. If one does, that is a bug in the reader, and the load continues: the
 * file keeps its name and is disabled.
 */
function readSafely(place: ReadablePlace, file: SourceFile): Reading {
  try {
    return place.read(file);
  } catch (error) {
    const message = `Internal error while reading this file: ${error instanceof Error ? error.message : stringOf(error)}`;
    const hint = "This is a bug in the reader, not in the file. Please report it and attach the file.";
    const diagnostic: Diagnostic = { severity: "error", code: "reader-failed", message, path: file.path, hint };
    try {
      const entities = disabledIn(place, file, diagnostic);
      return { entities, diagnostics: entities.length === 0 ? [diagnostic] : [] };
    } catch {
      return { entities: [], diagnostics: [diagnostic] };
    }
  }
}

/**
 * The disabled entity for a file that cannot be read, from its path and at most its `name`. It must keep its name:
 * otherwise a namesake without the same restrictions could take its place.
 */
function disabledIn(place: ReadablePlace, file: SourceFile, diagnostic: Diagnostic): Entity[] {
  if (place.kind === "config") return [];
  const { name } = parseFrontmatter(file.text, { path: file.path }).values;
  const text = typeof name === "string" ? `---\nname: ${JSON.stringify(name)}\n---\n` : "";
  const facts = { description: "", diagnostics: [diagnostic], disabledBecause: diagnostic.message };
  return place
    .read({ ...file, text })
    .entities.map((entity) => makeEntity({ ...entity, ...facts }, { file: file.path, head: "", start: UNREADABLE }));
}

/** Spreading a long list into `push` fails, and most lists are so short that an iterator would cost more. */
function append<Item>(list: Item[], items: readonly Item[]): void {
  for (let at = 0; at < items.length; at += 1) list.push(items[at]!);
}

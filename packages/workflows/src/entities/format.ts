import type { GeneralKeys } from "../permission/layers.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Entity, EntityLocation, EntitySource, EntityType, Provider } from "./entity.ts";

/** A provider, and where its files are. Each format has one file; `all.ts` lists them. */
export interface Format {
  readonly provider: Provider;
  /** Best first. */
  readonly places: readonly FormatPlace[];
}

/** A folder of entity files, or one config file. Paths are relative to the project or to the home folder. */
export type FormatPlace = FolderPlace | ConfigPlace;

export interface FolderPlace {
  readonly kind: "folder";
  readonly location: Exclude<EntityLocation, "builtin">;
  readonly path: string;
  readonly type: EntityType;
  /** See `listFiles`. */
  readonly pattern: string;
  readonly read: (file: SourceFile) => Reading;
}

export interface ConfigPlace {
  readonly kind: "config";
  readonly location: Exclude<EntityLocation, "builtin">;
  readonly path: string;
  /** What it can contain. */
  readonly types: readonly EntityType[];
  /** Other places that affect the result, and files and folders beside this one: a change to one is a change to this file. */
  readonly dependsOn?: readonly (ConfigPlace | string)[];
  /** Whether it may restrict every agent; if so, they are all disabled while it cannot be read. */
  readonly limitsAll?: boolean;
  /** The code to report if the file cannot be read, instead of the usual one. */
  readonly unreadableCode?: string;
  readonly read: (file: SourceFile) => Reading;
}

/** Where a place is on disk, and which tools look there if not all that read such a place. */
export interface FoundPlace extends Pick<EntitySource, "readBy"> {
  readonly path: string;
}

/** One file as it is on disk. */
export interface SourceFile extends Pick<EntitySource, "above" | "readBy"> {
  readonly path: string;
  /** From the place, with `/` on every system; the file's own name for a config. */
  readonly relative: string;
  readonly text: string;
  readonly location: EntityLocation;
  /** `path` of the place it was found in. */
  readonly place: string;
  /** Where other places of the same project or home folder are; absent for a file that is elsewhere. */
  readonly locate?: ((place: FormatPlace) => readonly FoundPlace[]) | undefined;
  /** For the variables that a config uses. */
  readonly env?: Environment;
}

export interface Reading {
  readonly entities: readonly Entity[];
  /** Diagnostics without an entity; an entity has its own. */
  readonly diagnostics: readonly Diagnostic[];
  /** What one of OpenCode's config files says about every agent. */
  readonly general?: GeneralFile;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What one of OpenCode's configs says about every agent. */
export interface General {
  readonly keys: GeneralKeys;
  /** Why its other restrictions are unknown. */
  readonly problem?: string;
  /** `file:line:col` of the problem, where that is known. */
  readonly at?: string;
}

export interface GeneralFile extends Pick<SourceFile, "path" | "location" | "place">, General {}

/** The same folder in the project and in the user's home. */
export function inBoth(place: Omit<FolderPlace, "kind" | "location">, home: string = place.path): FolderPlace[] {
  return [
    { ...place, kind: "folder", location: "project" },
    { ...place, kind: "folder", location: "user", path: home },
  ];
}

/** All that several readings found. */
export function joined(readings: readonly Reading[]): Reading {
  return {
    entities: readings.flatMap(({ entities }) => entities),
    diagnostics: readings.flatMap(({ diagnostics }) => diagnostics),
  };
}

/** An entity's source, which the registry uses to rank and report it. */
export function sourceOf(provider: Provider, file: SourceFile): EntitySource {
  const { location, path, place, relative, above, readBy } = file;
  // Most are in the project or in the home folder, where every tool looks.
  if (above === undefined && readBy === undefined) return { provider, location, path, place, relative };
  return {
    provider,
    location,
    path,
    place,
    relative,
    ...(above !== undefined && { above }),
    ...(readBy && { readBy }),
  };
}

import type { GeneralKeys } from "../permission/layers.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Entity, EntityLocation, EntitySource, EntityType, Provider } from "./entity.ts";

/** Who writes a file, and where such files lie. One file per format; `all.ts` lists them. */
export interface Format {
  readonly provider: Provider;
  /** In the order in which they win among themselves. */
  readonly places: readonly FormatPlace[];
}

/** A folder of entity files, or one config file. Paths are relative to the project or to the home folder. */
export type FormatPlace = FolderPlace | ConfigPlace;

export interface FolderPlace {
  readonly kind: "folder";
  readonly location: Exclude<EntityLocation, "builtin">;
  readonly path: string;
  readonly type: EntityType;
  /** As `listFiles` reads it. */
  readonly pattern: string;
  readonly read: (file: SourceFile) => Reading;
}

export interface ConfigPlace {
  readonly kind: "config";
  readonly location: Exclude<EntityLocation, "builtin">;
  readonly path: string;
  /** What there can be in it. */
  readonly types: readonly EntityType[];
  /** Files and folders that decide what it stands for, from the same base: a change of theirs is one of its own. */
  readonly dependsOn?: readonly string[];
  /** It may restrict every agent, so that one that cannot be read disables them. */
  readonly limitsAll?: boolean;
  /** What it is called if its bytes cannot be read, where that has a name of its own. */
  readonly unreadableCode?: string;
  readonly read: (file: SourceFile) => Reading;
}

/** One file as it lies on disk. */
export interface SourceFile {
  readonly path: string;
  /** From the place, with `/` on every system; the file's own name for a config. */
  readonly relative: string;
  readonly text: string;
  readonly location: EntityLocation;
  /** `path` of the place it was found in. */
  readonly place: string;
  /** For what a config takes from variables. */
  readonly env?: Environment;
}

export interface Reading {
  readonly entities: readonly Entity[];
  /** What concerns no entity; an entity carries its own. */
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

/** Where an entity comes from, for the registry to rank and report it. */
export function sourceOf(provider: Provider, { location, path, place, relative }: SourceFile): EntitySource {
  return { provider, location, path, place, relative };
}

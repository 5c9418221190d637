import type { Entity, ToolName } from "../entity.ts";
import type { PlaceInFolder, ToolEntryType, ToolPlace } from "./places.ts";

/** A program that reads entity files, as it really behaves. Each tool has one file; `all.ts` lists them. */
export interface ToolReader {
  readonly name: ToolName;
  readonly title: string;
  /** How the tool reads one file if no other file has its name. */
  read(file: ToolFile): ToolReading;
  /** Whether chance (the order on disk, or a race) decides between two files with the same name. */
  isLeftToChance(a: PlaceInFolder, b: PlaceInFolder): boolean;
  /** How the tool merges all files with the same name, best first, if the winner does not simply win. */
  combine?(namesakes: readonly [ToolItem, ...ToolItem[]]): ToolReading;
}

/** One entity in one of the tool's places, and its content. */
export interface ToolFile {
  readonly entity: Entity;
  readonly place: ToolPlace;
  /** From the place, with `/` on every system. */
  readonly relative: string;
  /** Absent for an entry of a config file; its values are the entity's frontmatter. */
  readonly text?: string;
  /** Whether the same place also has this file. */
  readonly hasNeighbour: (relative: string) => boolean;
  /** How many files of this type the same place has, without hidden ones. */
  readonly countFiles: () => number;
}

export type ToolReading =
  | { readonly kind: "loaded"; readonly item: ToolItem }
  /** The tool drops this file, and only this one. */
  | { readonly kind: "refused"; readonly because: string }
  /** While the file exists, the tool does not start or lists nothing at all. */
  | { readonly kind: "fatal"; readonly because: string };

/** An entity as a tool sees it. */
export interface ToolItem {
  /** Two files with the same key are namesakes. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  readonly aliases?: readonly string[];
  /** False if only the model can call it. */
  readonly userInvocable?: boolean;
  /** Something to know about how the tool loads it. */
  readonly remark?: string;
  /** Whether the tool may leave it out, and another one instead at the next start. */
  readonly mayBeLeftOut?: true;
  /** What `combine` needs. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** One line in a tool's list. */
export interface ToolEntry {
  readonly type: ToolEntryType;
  /** As the tool shows it; Claude and Copilot may show one name twice. */
  readonly name: string;
  /** As the tool shows it, first-line fallbacks included; "" if it has none. */
  readonly description: string;
  readonly argumentHint?: string;
  readonly aliases: readonly string[];
  readonly userInvocable: boolean;
  /** The file that wins. */
  readonly entity: Entity;
  readonly shadowed: readonly Entity[];
  /** `chance` means that the tool may pick one of `shadowed`, or leave all of them out, at the next start. */
  readonly decidedBy: "order" | "chance";
}

export interface ToolRefusal {
  readonly entity: Entity;
  readonly because: string;
}

/** What a tool lists. */
export interface ToolView {
  readonly tool: ToolName;
  readonly agents: readonly ToolEntry[];
  readonly commands: readonly ToolEntry[];
  readonly skills: readonly ToolEntry[];
  /** Files that the tool looks at and drops. */
  readonly refused: readonly ToolRefusal[];
  /** Files that keep the tool from starting. If there are any, all lists are empty. */
  readonly fatal: readonly ToolRefusal[];
}

/** What one tool does with one file. */
export interface ToolVerdict {
  readonly tool: ToolName;
  readonly loads: boolean;
  readonly as?: string | undefined;
  readonly kind?: ToolEntryType | undefined;
  /** Why the tool does not load it, or what is unusual about how it loads it. */
  readonly because?: string | undefined;
  /** The file keeps the whole tool from starting. */
  readonly fatal?: true | undefined;
}

export function refused(because: string): ToolReading {
  return { kind: "refused", because };
}

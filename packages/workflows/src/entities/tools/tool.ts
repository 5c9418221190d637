import type { Entity } from "../entity.ts";
import type { ToolEntryType, ToolName, ToolPlace } from "./places.ts";

/** A program that reads entity files, as it really behaves. One file a tool; `all.ts` lists them. */
export interface ToolReader {
  readonly name: ToolName;
  readonly title: string;
  /** What the tool makes of one file, were there no other of that name. */
  read(file: ToolFile): ToolReading;
  /** Whether chance (the order on disk, or a race) decides between two files of one name. */
  isLeftToChance(a: ToolPlace, b: ToolPlace): boolean;
  /** What comes of all files of one name, best first, where the winner does not simply take all. */
  combine?(namesakes: readonly [ToolItem, ...ToolItem[]]): ToolReading;
}

/** One entity where the tool looks, and its content. */
export interface ToolFile {
  readonly entity: Entity;
  readonly place: ToolPlace;
  /** From the place, with `/` on every system. */
  readonly relative: string;
  /** Absent for an entry of a config file, whose values are the entity's frontmatter. */
  readonly text?: string;
  /** Whether the same place has such a file, too. */
  readonly hasNeighbour: (relative: string) => boolean;
}

export type ToolReading =
  | { readonly kind: "loaded"; readonly item: ToolItem }
  /** The tool drops this file, and only this one. */
  | { readonly kind: "refused"; readonly because: string }
  /** The tool does not start, or lists nothing at all, while the file is there. */
  | { readonly kind: "fatal"; readonly because: string };

/** What a tool knows an entity as. */
export interface ToolItem {
  /** What must be equal for two files to be namesakes. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  readonly aliases?: readonly string[];
  /** False if only the model can call it. */
  readonly userInvocable?: boolean;
  /** Something to know about how the tool loads it. */
  readonly remark?: string;
  /** What `combine` needs of it. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** One line of a tool's list. */
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
  /** `chance` means that the tool may pick one of `shadowed` at the next start. */
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
  /** Files that keep the tool from starting. While there is one, all lists are empty. */
  readonly fatal: readonly ToolRefusal[];
}

/** What one tool does with one file. */
export interface ToolVerdict {
  readonly tool: ToolName;
  readonly loads: boolean;
  readonly as?: string;
  readonly kind?: ToolEntryType;
  /** Why not; or, of a file that is loaded, what is odd about it. */
  readonly because?: string;
  /** The file keeps the whole tool from starting. */
  readonly fatal?: true;
}

export function refused(because: string): ToolReading {
  return { kind: "refused", because };
}

export function fatal(because: string): ToolReading {
  return { kind: "fatal", because };
}

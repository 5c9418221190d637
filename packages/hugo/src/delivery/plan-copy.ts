// Decides what installing, updating and removing a copied workflow does to each file. Touches no disk.
import type { Hash } from "@atomic/durable-files/files/hash";
import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import type { LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { hashOf } from "../packages/hash.ts";
import { decodeText } from "../packages/tree.ts";
import { baseNow, besideOf, type FileChange, type FileStep } from "../workspace/copied-files.ts";
import { mergeTexts } from "./merge/merge-texts.ts";
import type { CopiedFile } from "./translate/package-translation.ts";

export interface CopySituation {
  /** What the lock records about the workflow; empty before its installation. */
  readonly recorded: ReadonlyMap<string, LockedFile>;
  /** The files it should have; empty for its removal. */
  readonly next: ReadonlyMap<string, CopiedFile>;
  /** The content of `.opencode` at these destinations and next to them. */
  readonly disk: ReadonlyMap<string, Uint8Array>;
  /** The content of a base that the store still has. */
  readonly baseOf: (hash: Hash) => Uint8Array | undefined;
  /** Other workflows to which the file belongs as well. */
  readonly othersOf: (destination: string) => readonly string[];
  /** Whether the file existed before those workflows. */
  readonly wasThere?: (destination: string) => boolean;
  /** Whether a file may be run: on the disk, and as the package gave it before, as far as that is known. */
  readonly executable?: {
    readonly onDisk: (destination: string) => boolean | undefined;
    readonly given: (destination: string) => boolean | undefined;
  };
  /** What happens to files that both sides changed. */
  readonly modified: "merge" | "skip";
}

type Installed = Extract<LockedFile, { kind: "installed" }>;

/**
 * @example
 * const steps = planCopy({ recorded: new Map(), next: filesToCopy(manifest, tree), … }); // an installation
 */
export function planCopy(situation: CopySituation): FileStep[] {
  const destinations = new Set([...situation.recorded.keys(), ...situation.next.keys()]);
  return [...destinations].sort().flatMap((destination) => {
    const recorded = situation.recorded.get(destination);
    const next = situation.next.get(destination);
    if (next === undefined) return recorded?.kind === "installed" ? planRemoval(situation, destination, recorded) : [];
    if (recorded?.kind !== "installed") return planAddition(situation, destination, next);
    // Only a file that is still missing stays marked as deleted.
    const { deleted: _, ...known } = recorded;
    const step = planChange(situation, destination, known, next);
    // A file that existed before stays the user's until it gets a later version's content.
    const isSame = step.verdict === "adopted" || recorded.base === hashOf(next.bytes) || step.verdict === "conflict";
    return recorded.adopted && isSame ? asAdopted(step) : step;
  });
}

/** A file that the workflow does not have yet. */
function planAddition(situation: CopySituation, destination: string, next: CopiedFile): FileStep {
  const present = situation.disk.get(destination);
  if (present === undefined) return settled("added", destination, next, [written(destination, next)]);
  const [other] = situation.othersOf(destination);
  if (Buffer.compare(present, next.bytes) === 0) {
    const isTheirs = other !== undefined && situation.wasThere?.(destination) !== true;
    return isTheirs ? settled("adopted", destination, next) : asAdopted(settled("adopted", destination, next));
  }
  const wasSkipped = situation.recorded.has(destination);
  if (other !== undefined && !wasSkipped) {
    throw new HugoError("file-taken", {
      message: `.opencode/${destination} already exists from workflow "${other}"`,
      at: `.opencode/${destination}`,
      hint: `Install this one with --prefix <word> to have both, or first remove the other (\`hugo remove ${other}\`). Nothing was changed.`,
    });
  }
  const record: LockedFile = { kind: "skipped", source: next.source };
  return { verdict: "skipped", destination, because: "unmanaged", changes: [], record };
}

function planChange(situation: CopySituation, destination: string, recorded: Installed, next: CopiedFile): FileStep {
  const present = situation.disk.get(destination);
  const base = baseNow(recorded, situation.disk.has(besideOf(destination)));
  const nextHash = hashOf(next.bytes);
  const others = situation.othersOf(destination);
  const beside = leftBeside(situation, destination);
  if (present === undefined) {
    const step = settled("kept-deleted", destination, next, beside);
    return { ...step, record: { ...step.record, deleted: true } };
  }
  // The user's choice whether it may be run wins over the package's.
  const onDisk = situation.executable?.onDisk(destination);
  const given = situation.executable?.given(destination) ?? next.executable;
  const executable = onDisk === undefined || onDisk === given ? next.executable : onDisk;
  if (base === nextHash) {
    // A conflict that is still open stays open.
    const isOpen = recorded.pending !== undefined && recorded.base === base;
    if (isOpen) return { verdict: "unchanged", destination, changes: [], record: recorded };
    if (others.length > 0 || situation.executable === undefined || executable === onDisk) {
      return settled("unchanged", destination, next);
    }
    return settled("updated", destination, next, [written(destination, { bytes: present, executable })]);
  }
  if (Buffer.compare(present, next.bytes) === 0) return settled("adopted", destination, next, beside);
  if (others.length > 0) {
    return { verdict: "skipped", destination, because: "shared", changes: [], record: recorded };
  }
  if (hashOf(present) === base) {
    return settled("updated", destination, next, [written(destination, { ...next, executable }), ...beside]);
  }
  const record: Installed = { ...recorded, base };
  if (situation.modified === "skip") {
    return { verdict: "skipped", destination, because: "modified", changes: [], record };
  }
  const merged = mergedText(destination, situation.baseOf(base), present, next.bytes);
  if (merged !== undefined) {
    const bytes = Buffer.from(merged);
    const isSame = bytes.equals(present) && (onDisk ?? executable) === executable;
    const changes = isSame ? beside : [written(destination, { bytes, executable }), ...beside];
    return settled("merged", destination, next, changes);
  }
  // The user has edited the version next to the file, or has a file of that name.
  if (situation.disk.has(besideOf(destination)) && beside.length === 0) {
    return { verdict: "skipped", destination, because: "modified", changes: [], record };
  }
  return {
    verdict: "conflict",
    destination,
    changes: [{ kind: "write", path: besideOf(destination), bytes: next.bytes, executable: false }],
    record: { kind: "installed", source: recorded.source, base, pending: nextHash },
    keep: { hash: nextHash, bytes: next.bytes },
  };
}

/** Both sides' changes, if together they make something that OpenCode still loads. */
function mergedText(
  destination: string,
  base: Uint8Array | undefined,
  present: Uint8Array,
  next: Uint8Array,
): string | undefined {
  if (base === undefined) return undefined;
  const [baseText, ours, theirs] = [base, present, next].map(decodeText);
  if (baseText === undefined || ours === undefined || theirs === undefined) return undefined;
  const merge = mergeTexts(baseText, ours, theirs);
  if (merge.kind === "conflict") return undefined;
  // Two harmless edits can duplicate a key, and OpenCode does not start with broken frontmatter.
  const isBroken = destination.endsWith(".md") && !parseFrontmatter(merge.text).complete;
  return isBroken ? undefined : merge.text;
}

function planRemoval(situation: CopySituation, destination: string, recorded: Installed): FileStep {
  const present = situation.disk.get(destination);
  const changes = leftBeside(situation, destination);
  if (present === undefined) return { verdict: "removed", destination, changes };
  if (situation.othersOf(destination).length > 0) return { verdict: "left", destination, because: "shared", changes };
  const base = baseNow(recorded, situation.disk.has(besideOf(destination)));
  if (hashOf(present) !== base) return { verdict: "left", destination, because: "modified", changes };
  if (recorded.adopted && base === recorded.base) return { verdict: "left", destination, because: "adopted", changes };
  return { verdict: "removed", destination, changes: [{ kind: "delete", path: destination }, ...changes] };
}

/** Removes the version that a conflict left next to the file, if it is unedited. */
function leftBeside({ disk, recorded }: CopySituation, destination: string): FileChange[] {
  const file = recorded.get(destination);
  const isOurs = file?.kind === "installed" && file.pending !== undefined;
  const path = besideOf(destination);
  const beside = disk.get(path);
  return isOurs && beside !== undefined && hashOf(beside) === file.pending ? [{ kind: "delete", path }] : [];
}

function written(path: string, { bytes, executable }: Pick<CopiedFile, "bytes" | "executable">): FileChange {
  return { kind: "write", path, bytes, executable };
}

/** From now on the file's base is what the package has. */
function settled(
  verdict: FileStep["verdict"],
  destination: string,
  { source, bytes }: CopiedFile,
  changes: readonly FileChange[] = [],
): FileStep & { readonly record: Installed } {
  const hash = hashOf(bytes);
  return { verdict, destination, changes, record: { kind: "installed", source, base: hash }, keep: { hash, bytes } };
}

function asAdopted(step: FileStep): FileStep {
  return step.record?.kind === "installed" ? { ...step, record: { ...step.record, adopted: true } } : step;
}

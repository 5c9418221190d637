import { isUtf8 } from "node:buffer";
import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import type { Page } from "@atomic/terminal/page";
import { type Paint, painter } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import type { LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";
import { hashOf } from "../packages/hash.ts";
import { versionLabel } from "../packages/labels.ts";
import { folderLabel } from "../workspace/change-draft.ts";
import { baseNow, placesOf } from "../workspace/file-states.ts";
import { placeFor } from "../workspace/place.ts";
import { parkedPath } from "../workspace/plan-parking.ts";
import { readSnapshot } from "../workspace/read-snapshot.ts";
import type { Snapshot } from "../workspace/snapshot.ts";
import { besideOf } from "../workspace/step.ts";
import { oneOrAll } from "./shared/find-workflows.ts";
import { noticeLines, warning } from "./shared/notes.ts";
import type { Operation } from "./shared/operation.ts";
import { type DiffHunk, type DiffLine, unifiedDiff } from "./shared/unified-diff.ts";

interface DiffResult {
  readonly files: readonly FileDiff[];
  readonly folder: string;
  readonly notices: readonly string[];
}

const names = { name: { count: "maybe", summary: "Only this workflow" } } as const;

/** It always ends with 0, as `git diff` does: local edits are nothing wrong. */
export const diff: Operation<typeof names, Record<never, never>, DiffResult> = {
  name: "diff",
  summary: "Show your edits, and updates that could not be merged",
  arguments: names,
  options: {},
  examples: [
    { command: "hugo diff", shows: "what you changed since the files were installed" },
    { command: "hugo diff review > edits.patch", shows: "the same as a patch for `git apply`" },
  ],
  mutates: false,
  async run(context, input) {
    const snapshot = await readSnapshot(placeFor(context, input));
    const files = oneOrAll(snapshot.lock, input.name).flatMap((name) => diffsOf(snapshot, name));
    return { files, folder: folderLabel(snapshot.place), notices: snapshot.notices };
  },
  /** The text is a patch of the local edits: of all other lines, which begin with #, the tools that apply one take none. */
  report: {
    text: ({ files, folder }, { colour }) => {
      const paint = painter(colour);
      const titles = [...new Set(files.map(titleOf))];
      const parts = titles.flatMap((title) => [
        `${paint("bold", title)}\n`,
        ...files.filter((file) => titleOf(file) === title).map((file) => section(file, folder, paint)),
      ]);
      return parts.join("");
    },
    notes,
    json: ({ files, notices }) => ({ files, notices }),
    exitCode: () => 0,
  },
};

function titleOf({ workflow, version, side }: FileDiff): string {
  const what = side === "local" ? "local edits" : "an update that could not be merged";
  return safe`# ${workflow} ${versionLabel(version)}: ${what}`;
}

function section({ path, side, change }: FileDiff, folder: string, paint: Paint): string {
  const file = safe`${folder}/${path}`;
  switch (change.kind) {
    case "deleted":
      return change.hunks === undefined ? `# ${file} was deleted\n` : deletion(file, change.hunks, paint);
    case "binary":
      return `# ${file} differs, but is no text\n`;
    case "unknown-base":
      return `# ${file} differs, but what its package gave is not in the store\n`;
    case "text": {
      if (side === "local") return patch([`--- a/${file}`, `+++ b/${file}`], change.hunks, paint);
      const names = [`--- a/${file}`, safe`+++ b/${folder}/${besideOf(path)}`];
      return patch(names, change.hunks, paint).replace(/^(?=.)/gm, "# ");
    }
  }
}

function deletion(file: string, hunks: readonly DiffHunk[], paint: Paint): string {
  const head = [`diff --git a/${file} b/${file}`, "deleted file mode 100644"];
  return patch(hunks.length === 0 ? head : [...head, `--- a/${file}`, "+++ /dev/null"], hunks, paint);
}

function patch(head: readonly string[], hunks: readonly DiffHunk[], paint: Paint): string {
  const lines = head.map((line) => `${paint("bold", line)}\n`);
  return [...lines, ...hunks.map((hunk) => hunkText(hunk, paint))].join("");
}

function hunkText({ before, after, lines }: DiffHunk, paint: Paint): string {
  const head = `@@ -${before.start},${before.length} +${after.start},${after.length} @@`;
  return `${paint("cyan", head)}\n${lines.map((line) => lineText(line, paint)).join("")}`;
}

function lineText({ mark, text, isUnended }: DiffLine, paint: Paint): string {
  // A carriage return right before the end of a line moves nothing, and a patch needs it.
  const [, line = "", end = ""] = /^(.*?)(\r?)$/s.exec(text) ?? [];
  const shown = `${mark}${escapeForTerminal(line)}`;
  const painted = mark === "+" ? paint("green", shown) : mark === "-" ? paint("red", shown) : shown;
  return `${painted}${end}\n${isUnended === true ? "\\ No newline at end of file\n" : ""}`;
}

function notes({ files, notices }: DiffResult, page: Page): string {
  const isUnknown = files.some(({ change }) => change.kind === "unknown-base");
  return [
    files.length === 0 ? "No local edits.\n" : "",
    isUnknown ? warning("Some files cannot be compared. Next: hugo ci brings the store back.", page) : "",
    ...noticeLines(notices, page),
  ].join("");
}

/** How a copied file differs from what its package gave. */
interface FileDiff {
  readonly workflow: string;
  readonly version: string;
  /** Below `.opencode`, where it lies. */
  readonly path: string;
  /** What the user changed, or what an update would change that could not be merged. */
  readonly side: "local" | "update";
  readonly change: FileDifference;
}

type FileDifference =
  | { readonly kind: "text"; readonly hunks: readonly DiffHunk[] }
  /** Without hunks if what was there is no text, or not in the store. */
  | { readonly kind: "deleted"; readonly hunks?: readonly DiffHunk[] }
  /** One of the two is no text. */
  | { readonly kind: "binary" }
  /** What the package gave is not in the store. */
  | { readonly kind: "unknown-base" };

/** Of one workflow, sorted by place. Clean files have none. */
function diffsOf(snapshot: Snapshot, name: string): FileDiff[] {
  const { delivery, version } = snapshot.lock.workflows.get(name)!;
  if (delivery.kind === "plugin") return [];
  const disk = snapshot.disk(placesOf(name, delivery));
  const files = [...delivery.files].sort(([a], [b]) => (a < b ? -1 : 1));
  return files.flatMap(([destination, file]): FileDiff[] => {
    if (file.kind === "skipped") return [];
    const whereIs = (path: string) => (delivery.parked ? parkedPath(name, path) : path);
    const path = whereIs(destination);
    const [present, beside] = [disk.get(path)?.bytes, disk.get(whereIs(besideOf(destination)))?.bytes];
    const local = localChange(snapshot, file, present, beside !== undefined);
    const about = { workflow: name, version, path };
    return [
      ...(local === undefined ? [] : [{ ...about, side: "local", change: local } as const]),
      ...(file.pending === undefined || beside === undefined
        ? []
        : [{ ...about, side: "update", change: difference(snapshot.baseOf(file.base), beside) } as const]),
    ];
  });
}

function localChange(
  snapshot: Snapshot,
  file: Extract<LockedFile, { kind: "installed" }>,
  present: Uint8Array | undefined,
  hasBeside: boolean,
): FileDifference | undefined {
  const base = baseNow(file, hasBeside);
  if (present === undefined) return deletedContent(snapshot.baseOf(base));
  return hashOf(present) === base ? undefined : difference(snapshot.baseOf(base), present);
}

function deletedContent(base: Uint8Array | undefined): FileDifference {
  const text = base === undefined ? undefined : textOf(base);
  return { kind: "deleted", ...(text !== undefined && { hunks: unifiedDiff(text, "") }) };
}

function difference(base: Uint8Array | undefined, other: Uint8Array): FileDifference {
  if (base === undefined) return { kind: "unknown-base" };
  const [before, after] = [textOf(base), textOf(other)];
  if (before === undefined || after === undefined) return { kind: "binary" };
  return { kind: "text", hunks: unifiedDiff(before, after) };
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0) || !isUtf8(bytes)) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

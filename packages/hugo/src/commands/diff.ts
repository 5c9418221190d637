import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { type Paint, painter } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import { diffLines, type Hunk, splitLines } from "../delivery/merge/diff-lines.ts";
import { hashOf } from "../packages/hash.ts";
import { versionLabel } from "../packages/labels.ts";
import { decodeText } from "../packages/tree.ts";
import { baseNow, besideOf, parkedPath, placesOf } from "../workspace/copied-files.ts";
import { folderLabel, placeFor } from "../workspace/place.ts";
import { readSnapshot } from "../workspace/snapshot.ts";
import { oneOrAll } from "./shared/find-workflows.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";
import { noticeLines, warning } from "./shared/notes.ts";

interface DiffResult {
  readonly files: readonly FileDiff[];
  readonly folder: string;
  readonly notices: readonly string[];
}

const names = { name: { count: "maybe", summary: "Only this workflow" } } as const;

/** It always exits with 0, as `git diff` does: local edits are fine. */
export const diff: HugoCommand<typeof names, Record<never, never>, DiffResult> = {
  name: "diff",
  summary: "Show your edits and any updates that could not be merged",
  arguments: names,
  options: {},
  examples: [
    { command: "hugo diff", shows: "what you changed since the files were installed" },
    { command: "hugo diff review > edits.patch", shows: "the same changes, as a patch for `git apply`" },
  ],
  mutates: false,
  async run(context, input) {
    const snapshot = await readSnapshot(placeFor(context, input));
    // Sorted by place; clean files have no diff.
    const files = oneOrAll(snapshot.lock, input.name).flatMap((name) => {
      const { delivery, version } = snapshot.lock.workflows.get(name)!;
      if (delivery.kind === "plugin") return [];
      const disk = snapshot.disk(placesOf(name, delivery));
      const files = [...delivery.files].sort(([a], [b]) => (a < b ? -1 : 1));
      return files.flatMap(([destination, file]): FileDiff[] => {
        if (file.kind === "skipped") return [];
        const path = delivery.parked ? parkedPath(name, destination) : destination;
        const [present, beside] = [disk.get(path)?.bytes, disk.get(besideOf(path))?.bytes];
        const base = baseNow(file, beside !== undefined);
        const isSame = present !== undefined && hashOf(present) === base;
        const local = isSame ? undefined : difference(snapshot.baseOf(base), present);
        const about = { workflow: name, version, path };
        return [
          ...(local === undefined ? [] : [{ ...about, side: "local", change: local } as const]),
          ...(file.pending === undefined || beside === undefined
            ? []
            : [{ ...about, side: "update", change: difference(snapshot.baseOf(file.base), beside) } as const]),
        ];
      });
    });
    return { files, folder: folderLabel(snapshot.place), notices: snapshot.notices };
  },
  /** The text is a patch of the local edits; tools that apply it ignore all other lines, which begin with #. */
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
    notes: ({ files, notices }, page) => {
      const isUnknown = files.some(({ change }) => change.kind === "unknown-base");
      return [
        files.length === 0 ? "No local edits.\n" : "",
        isUnknown ? warning("Some files cannot be compared. Next: hugo ci, which restores the store.", page) : "",
        ...noticeLines(notices, page),
      ].join("");
    },
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
    case "deleted": {
      const { hunks } = change;
      if (hunks === undefined) return `# ${file} was deleted\n`;
      const head = [`diff --git a/${file} b/${file}`, "deleted file mode 100644"];
      return patch(hunks.length === 0 ? head : [...head, `--- a/${file}`, "+++ /dev/null"], hunks, paint);
    }
    case "binary":
      return `# ${file} differs, but is not text\n`;
    case "unknown-base":
      return `# ${file} differs, but the package's version is not in the store\n`;
    case "text": {
      if (side === "local") return patch([`--- a/${file}`, `+++ b/${file}`], change.hunks, paint);
      const names = [`--- a/${file}`, safe`+++ b/${folder}/${besideOf(path)}`];
      return patch(names, change.hunks, paint).replace(/^(?=.)/gm, "# ");
    }
  }
}

function patch(head: readonly string[], hunks: readonly DiffHunk[], paint: Paint): string {
  const lines = head.map((line) => `${paint("bold", line)}\n`);
  return [
    ...lines,
    ...hunks.map(({ before, after, lines }) => {
      const head = `@@ -${before.start},${before.length} +${after.start},${after.length} @@`;
      return `${paint("cyan", head)}\n${lines
        .map(({ mark, text, isUnended }) => {
          // A carriage return at the end of a line is harmless, and a patch needs it.
          const [, line = "", end = ""] = /^(.*?)(\r?)$/s.exec(text) ?? [];
          const shown = `${mark}${escapeForTerminal(line)}`;
          const painted = mark === "+" ? paint("green", shown) : mark === "-" ? paint("red", shown) : shown;
          return `${painted}${end}\n${isUnended === true ? "\\ No newline at end of file\n" : ""}`;
        })
        .join("")}`;
    }),
  ].join("");
}

/** How a copied file differs from its package's version. */
interface FileDiff {
  readonly workflow: string;
  readonly version: string;
  /** Its path below `.opencode`. */
  readonly path: string;
  /** What the user changed, or what an update would change that could not be merged. */
  readonly side: "local" | "update";
  readonly change: FileDifference;
}

type FileDifference =
  | { readonly kind: "text"; readonly hunks: readonly DiffHunk[] }
  /** Without hunks if the original is not text, or not in the store. */
  | { readonly kind: "deleted"; readonly hunks?: readonly DiffHunk[] }
  /** One of the two is not text. */
  | { readonly kind: "binary" }
  /** The package's version is not in the store. */
  | { readonly kind: "unknown-base" };

function difference(base: Uint8Array | undefined, other: Uint8Array | undefined): FileDifference {
  if (other === undefined) {
    const text = base && decodeText(base);
    return { kind: "deleted", ...(text !== undefined && { hunks: unifiedDiff(text, "") }) };
  }
  if (base === undefined) return { kind: "unknown-base" };
  const [before, after] = [decodeText(base), decodeText(other)];
  if (before === undefined || after === undefined) return { kind: "binary" };
  return { kind: "text", hunks: unifiedDiff(before, after) };
}

export interface DiffLine {
  readonly mark: " " | "-" | "+";
  /** Without its line end. */
  readonly text: string;
  /** The last line of a text that has no line ending. */
  readonly isUnended?: true;
}

/** Changed lines with those around them. Positions are 1-based; without lines, it is the line before. */
export interface DiffHunk {
  readonly before: { readonly start: number; readonly length: number };
  readonly after: { readonly start: number; readonly length: number };
  readonly lines: readonly DiffLine[];
}

const CONTEXT = 3;

/** What turns one text into another, as `diff -u` shows it. */
export function unifiedDiff(before: string, after: string): DiffHunk[] {
  const [lines, other] = [splitLines(before), splitLines(after)];
  // Changes whose context lines would overlap are shown as one.
  const groups: Hunk[][] = [];
  for (const hunk of diffLines(lines, other)) {
    const last = groups.at(-1);
    const end = last?.at(-1)?.end;
    if (last !== undefined && end !== undefined && hunk.start - end <= 2 * CONTEXT) last.push(hunk);
    else groups.push([hunk]);
  }
  return groups.map((hunks) => {
    const [first, last] = [hunks[0]!, hunks.at(-1)!];
    const lead = Math.min(CONTEXT, first.start);
    const [start, otherStart] = [first.start - lead, first.otherStart - lead];
    const tail = Math.min(CONTEXT, lines.length - last.end);
    const shown: DiffLine[] = [];
    let at = start;
    for (const hunk of hunks) {
      shown.push(...marked(" ", lines.slice(at, hunk.start)));
      shown.push(...marked("-", lines.slice(hunk.start, hunk.end)));
      shown.push(...marked("+", other.slice(hunk.otherStart, hunk.otherEnd)));
      at = hunk.end;
    }
    shown.push(...marked(" ", lines.slice(at, at + tail)));
    return { before: span(start, last.end + tail), after: span(otherStart, last.otherEnd + tail), lines: shown };
  });
}

function span(start: number, end: number): DiffHunk["before"] {
  return { start: end > start ? start + 1 : start, length: end - start };
}

function marked(mark: DiffLine["mark"], lines: readonly string[]): DiffLine[] {
  return lines.map((line) =>
    line.endsWith("\n") ? { mark, text: line.slice(0, -1) } : { mark, text: line, isUnended: true },
  );
}

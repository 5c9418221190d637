import { readdirSync } from "node:fs";
import { count } from "@atomic/terminal/count";
import { painter } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { sizeLabel } from "../packages/labels.ts";
import { cacheFolder } from "../sources/registry/tarball-cache.ts";
import { removeTree } from "../sources/remove-tree.ts";
import { placeFor } from "../workspace/place.ts";
import { pruneStore, sizeOf, type UnneededContents, type UnneededPackage } from "../workspace/prune.ts";
import { unlessMissing } from "../workspace/store/disk.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";
import { summaryNotes } from "./shared/notes.ts";

const options = {
  cache: { kind: "flag", summary: "Also empty your download cache, which all projects share" },
} as const;

interface PruneResult {
  readonly packages: readonly UnneededPackage[];
  readonly contents: UnneededContents;
  /** Missing without `--cache`. */
  readonly cache?: { readonly tarballs: number; readonly bytes: number };
  readonly dryRun: boolean;
  readonly notices: readonly string[];
}

export const prune: HugoCommand<Record<never, never>, typeof options, PruneResult> = {
  name: "prune",
  summary: "Delete stored packages that are no longer installed",
  details:
    "Hugo keeps packages and old contents of files that are no longer in use, for `hugo undo` and for your other git branches. Pruning deletes all but what the current hugo.json names. Undo still restores every file; if it or another branch brings back a pruned package, `hugo ci` fetches it again.",
  arguments: {},
  options,
  examples: [
    { command: "hugo prune --dry-run", shows: "what would be deleted, and how much space that would free" },
    { command: "hugo prune --cache", shows: "what was deleted, including downloads that all projects share" },
  ],
  mutates: true,
  async run(context, input) {
    const { dryRun } = input;
    const pruned = await pruneStore(placeFor(context, input), { dryRun, signal: context.signal });
    const folder = cacheFolder(context);
    const tarballs = unlessMissing(() => readdirSync(folder))?.length ?? 0;
    const cache = { tarballs, bytes: sizeOf(folder) };
    if (input.cache && !dryRun) removeTree(folder);
    const { packages, contents, notices } = pruned;
    return { packages, contents, ...(input.cache && { cache }), dryRun, notices };
  },
  report: {
    text: ({ packages, contents, cache, dryRun }, page) => {
      const done = dryRun ? "Would delete" : "Deleted";
      const paint = painter(page.colour);
      const lines: string[] = [];
      if (packages.length > 0) {
        const title = `${done} ${count(packages.length, "package")} from the store: ${sizeLabel(totalOf(packages))}`;
        lines.push(paragraph(title, page, { indent: "  " }));
        for (const { name, bytes } of packages) {
          const line = safe`${name} (${sizeLabel(bytes)})`;
          lines.push(paragraph(line, page, { lead: `  ${paint("red", "-")} `, indent: "    " }));
        }
      }
      if (contents.count > 0) {
        const what = `${count(contents.count, "old file content")}: ${sizeLabel(contents.bytes)}`;
        lines.push(paragraph(`${done} ${what}`, page, { indent: "  " }));
      }
      if (cache !== undefined && cache.tarballs > 0) {
        const what = `${count(cache.tarballs, "download")} from your cache: ${sizeLabel(cache.bytes)}`;
        lines.push(paragraph(`${done} ${what}`, page, { indent: "  " }));
      }
      return lines.length === 0 ? paragraph("There is nothing to prune.", page, { indent: "" }) : lines.join("");
    },
    notes: (result, page) => summaryNotes(result, page).join(""),
    json: ({ packages, contents, cache, dryRun, notices }) => ({
      dryRun,
      packages,
      contents,
      ...(cache !== undefined && { cache }),
      bytes: totalOf(packages) + contents.bytes + (cache?.bytes ?? 0),
      notices,
    }),
    exitCode: () => 0,
  },
};

function totalOf(packages: readonly UnneededPackage[]): number {
  return packages.reduce((sum, { bytes }) => sum + bytes, 0);
}

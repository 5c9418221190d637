import { type Colour, painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { placeFor } from "../workspace/place.ts";
import { undo as takeBack, type Undone, type UndoneFile } from "../workspace/undo.ts";
import { foldFiles, labelOf } from "./shared/fold-files.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";
import { summaryNotes } from "./shared/notes.ts";

export const undo: HugoCommand<Record<never, never>, Record<never, never>, Undone & { readonly dryRun: boolean }> = {
  name: "undo",
  summary: "Undo Hugo's last change, byte for byte",
  arguments: {},
  options: {},
  examples: [
    { command: "hugo undo", shows: "what was undone; run it again to undo the change before that" },
    { command: "hugo undo --dry-run", shows: "what would be restored and what would be removed" },
  ],
  mutates: true,
  async run(context, input) {
    const { dryRun } = input;
    return { ...(await takeBack(placeFor(context, input), { dryRun, signal: context.signal })), dryRun };
  },
  report: {
    text: ({ title, files, dryRun }, page) =>
      [
        paragraph(safe`${dryRun ? "Would undo" : "Undid"}: ${title}`, page, { indent: "  " }),
        ...foldFiles(files, ({ did }) => did).map((file) => {
          const [mark, painted] = marks[file.did];
          return `  ${painter(page.colour)(painted, mark)} ${safeLine(labelOf(file))}\n`;
        }),
      ].join(""),
    notes: (result, page) =>
      [
        ...summaryNotes(result, page),
        result.dryRun ? "" : paragraph("Restart OpenCode to see the change.", page, { indent: "" }),
      ].join(""),
    json: ({ title, files, dryRun, notices }) => ({ dryRun, title, files, notices }),
    exitCode: () => 0,
  },
};

const marks: Readonly<Record<UndoneFile["did"], readonly [mark: string, colour: Colour]>> = {
  restored: ["~", "yellow"],
  "brought-back": ["+", "green"],
  deleted: ["-", "red"],
};

import type { Report } from "@atomic/terminal/command";
import type { Page } from "@atomic/terminal/page";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { UndoneFile } from "../../workspace/undo.ts";
import { circumstanceNotes } from "../shared/notes.ts";
import type { UndoResult } from "../undo.ts";

export const undoReport: Report<UndoResult> = {
  text: ({ title, files, dryRun }, page) =>
    [
      paragraph(safe`${dryRun ? "Would undo" : "Undid"}: ${title}`, page, { indent: "  " }),
      ...files.map((file) => line(file, page)),
    ].join(""),
  notes: (result, page) =>
    [
      ...circumstanceNotes(result, page),
      result.dryRun ? "" : paragraph("Restart OpenCode to see the change.", page, { indent: "" }),
    ].join(""),
  json: ({ title, files, dryRun, notices }) => ({ dryRun, title, files, notices }),
  exitCode: () => 0,
};

const marks: Readonly<Record<UndoneFile["did"], readonly [mark: string, colour: Colour]>> = {
  restored: ["~", "yellow"],
  "brought-back": ["+", "green"],
  deleted: ["-", "red"],
};

function line({ path, did }: UndoneFile, { colour }: Page): string {
  const [mark, painted] = marks[did];
  return `  ${painter(colour)(painted, mark)} ${safeLine(path)}\n`;
}

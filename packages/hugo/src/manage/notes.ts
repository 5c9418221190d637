import type { Page } from "@atomic/workflows/terminal/page";
import { painter } from "@atomic/workflows/terminal/paint";
import { safeLine } from "@atomic/workflows/terminal/safe-text";
import { paragraph } from "@atomic/workflows/terminal/wrap";
import type { Circumstances } from "./mutate.ts";

/** A line for stderr that somebody should read; foreign text in it is made safe. */
export function warning(message: string, page: Page): string {
  return paragraph(safeLine(message), page, { lead: `${painter(page.colour)("yellow", "Warning:")} `, indent: "  " });
}

export function circumstanceNotes(
  { dryRun, notices }: Pick<Circumstances, "dryRun" | "notices">,
  page: Page,
): string[] {
  return [
    ...notices.map((notice) => paragraph(safeLine(notice), page, { indent: "  " })),
    ...(dryRun ? ["Dry run: nothing was written.\n"] : []),
  ];
}

import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { ChangeSummary } from "../../workspace/change-draft.ts";

/** A line for stderr that somebody should read; foreign text in it is made safe. */
export function warning(message: string, page: Page): string {
  return paragraph(safeLine(message), page, { lead: `${painter(page.colour)("yellow", "Warning:")} `, indent: "  " });
}

export const nothingInstalled = "No workflows are installed. `hugo install <package>` installs one.";

export function noticeLines(notices: readonly string[], page: Page): string[] {
  return notices.map((notice) => paragraph(safeLine(notice), page, { indent: "  " }));
}

export function summaryNotes({ dryRun, notices }: Pick<ChangeSummary, "dryRun" | "notices">, page: Page): string[] {
  return [...noticeLines(notices, page), ...(dryRun ? ["Dry run: nothing was written.\n"] : [])];
}

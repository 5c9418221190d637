import type { Page } from "@atomic/workflows/terminal/page";
import { painter } from "@atomic/workflows/terminal/paint";
import { safeLine } from "@atomic/workflows/terminal/safe-text";
import { paragraph } from "@atomic/workflows/terminal/wrap";
import type { Approval } from "../approval.ts";

/** What is about to happen, for whoever decides. */
export function formatApproval({ title, capabilities, notes }: Approval, page: Page): string {
  const paint = painter(page.colour);
  return [
    paragraph(paint("bold", safeLine(title)), page, { indent: "" }),
    ...capabilities.map(({ kind, subject, detail }) =>
      paragraph(safeLine(`${subject}: ${detail}`), page, { lead: `  ${paint("yellow", kind)} `, indent: "    " }),
    ),
    ...notes.map((note) => paragraph(safeLine(note), page, { lead: "  ", indent: "  " })),
  ].join("");
}

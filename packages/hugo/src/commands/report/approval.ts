import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { Approval } from "../../trust/approval-request.ts";
import { titledCapabilities } from "./capabilities.ts";

/** What is about to happen, for whoever decides. */
export function formatApproval({ title, capabilities, isMore = false, notes }: Approval, page: Page): string {
  const paint = painter(page.colour);
  return [
    paragraph(paint("bold", safeLine(title)), page, { indent: "" }),
    ...notes.map((note) => paragraph(safeLine(note), page, { lead: "  ", indent: "    " })),
    capabilities.length === 0 ? "" : titledCapabilities(capabilities, { isMore }, page),
  ].join("");
}

import type { Page } from "@atomic/terminal/page";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { Approval } from "../../context.ts";
import type { Capability } from "../../packages/capability.ts";
import { formatPairs, type Pair } from "./pairs.ts";

/** What people call it, and its color. */
const labels: Readonly<Record<Capability["kind"], readonly [label: string, colour: Colour]>> = {
  "plugin-code": ["runs code", "red"],
  registers: ["registers", "yellow"],
  workflow: ["workflow", "red"],
  hook: ["hook", "yellow"],
  code: ["code can", "yellow"],
  dependency: ["depends on", "yellow"],
  mcp: ["MCP server", "red"],
  shell: ["runs shell", "red"],
  file: ["reads file", "yellow"],
  agent: ["agent", "cyan"],
  script: ["script", "yellow"],
  executable: ["executable", "yellow"],
  binary: ["binary", "yellow"],
  lifecycle: ["blocked", "dim"],
  substitution: ["inserts", "red"],
  hidden: ["hidden", "red"],
};

const labelWidth = Math.max(...Object.values(labels).map(([label]) => label.length));
/** A longer subject shifts only its own detail, not all others. */
const widest = 32;
/** What hidden characters do, by kind. */
const HIDDEN: Readonly<Record<string, string>> = { ansi: "control the terminal", bidi: "change the text direction" };

/** @param options.isMore Only what an update adds is listed. */
export function titledCapabilities(
  capabilities: readonly Capability[],
  { isMore }: { readonly isMore: boolean },
  page: Page,
): string {
  const title = isMore ? "What it can do now that it could not do before:" : "What it can do:";
  return paragraph(title, page, { indent: "" }) + formatCapabilities(capabilities, page);
}

/** Each one in full: the user must not miss the end of a command line. */
export function formatCapabilities(capabilities: readonly Capability[], page: Page): string {
  if (capabilities.length === 0) return "  nothing: it contains only text for a model\n";
  const paint = painter(page.colour);
  const pairs = capabilities.map(({ kind, subject, detail }): Pair => {
    const [label, colour] = labels[kind];
    const lead = `  ${paint(colour, label)}${" ".repeat(labelWidth - label.length)}  `;
    // Kinds of hidden characters are explained; other details speak for themselves.
    const isCoded = kind === "hidden" && !detail.includes(" ");
    const text = isCoded ? `${detail}: characters that ${HIDDEN[detail] ?? "are invisible"}` : detail;
    return { lead, subject: safeLine(subject), text: safeLine(text) };
  });
  return formatPairs(pairs, page, { widest });
}

/** Copied files are never configs, so OpenCode does not start the servers they mention. */
export function asDelivered(list: readonly Capability[], delivery: "plugin" | "copy"): readonly Capability[] {
  if (delivery === "plugin") return list;
  return list.map((each) => (each.kind === "mcp" ? { ...each, detail: `not installed: ${each.detail}` } : each));
}

/** What is about to happen, for the user to approve. */
export function formatApproval({ title, capabilities, isMore = false, notes }: Approval, page: Page): string {
  const paint = painter(page.colour);
  return [
    paragraph(paint("bold", safeLine(title)), page, { indent: "" }),
    ...notes.map((note) => paragraph(safeLine(note), page, { lead: "  ", indent: "    " })),
    capabilities.length === 0 ? "" : titledCapabilities(capabilities, { isMore }, page),
  ].join("");
}

import { type Page, verbatim } from "@atomic/terminal/page";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { Approval } from "../../context.ts";
import type { Capability } from "../../packages/capability.ts";
import { groups, summarize } from "./capability-summary.ts";
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
  name: ["takes over", "red"],
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

export interface ReportDetail {
  /** Only what an update adds is listed. */
  readonly isMore: boolean;
  /** Every capability instead of a summary. */
  readonly isDetailed: boolean;
}

export function titledCapabilities(
  capabilities: readonly Capability[],
  { isMore, isDetailed }: ReportDetail,
  page: Page,
): string {
  const title = isMore ? "What it can do now that it could not do before:" : "What it can do:";
  const list = isDetailed ? listCapabilities : formatCapabilities;
  return paragraph(title, page, { indent: "" }) + list(capabilities, verbatim(page));
}

/** The same for a report that no question follows: it says how to see the details. */
export function reportedCapabilities(capabilities: readonly Capability[], detail: ReportDetail, page: Page): string {
  return titledCapabilities(capabilities, detail, page) + summaryHint({ ...detail, capabilities }, page);
}

/** How to see the details, if they would say more. */
export function summaryHint(
  { capabilities, isDetailed = false }: Pick<Approval, "capabilities" | "isDetailed">,
  page: Page,
): string {
  if (isDetailed || summarize(capabilities).isComplete) return "";
  const amount = capabilities.length.toLocaleString("en");
  const hint =
    capabilities.length === 1
      ? "(a summary of 1 finding; --details shows all of it)"
      : `(a summary of ${amount} findings; --details lists them all)`;
  return paragraph(hint, page, { lead: "  ", indent: "  " });
}

const groupColours: Readonly<Record<(typeof groups)[number], Colour>> = {
  "runs code": "red",
  shell: "red",
  network: "red",
  permissions: "yellow",
  names: "red",
  agents: "cyan",
  files: "yellow",
};
const NARROW = 60;
const groupWidth = Math.max(...groups.map((group) => group.length));

/** A line for each kind of power. */
export function formatCapabilities(capabilities: readonly Capability[], page: Page): string {
  if (capabilities.length === 0) return nothing;
  const paint = painter(page.colour);
  const { lines } = summarize(capabilities);
  // Without room for a column, the lines go below their label.
  const isNarrow = page.columns !== undefined && page.columns < NARROW;
  const column = isNarrow ? "    " : " ".repeat(groupWidth + 4);
  return groups
    .filter((group) => lines[group].length > 0)
    .map((group) => {
      const label = `  ${paint(groupColours[group], group)}`;
      const beside = `${label}${" ".repeat(groupWidth - group.length)}  `;
      const written = lines[group].map((line, index) => {
        const lead = isNarrow || index > 0 ? column : beside;
        return paragraph(safeLine(line), page, { lead, indent: `${column}  ` });
      });
      return `${isNarrow ? `${label}\n` : ""}${written.join("")}`;
    })
    .join("");
}

const nothing = "  nothing: it contains only text for a model\n";

/** Each one in full: the user must not miss the end of a command line. */
export function listCapabilities(capabilities: readonly Capability[], page: Page): string {
  if (capabilities.length === 0) return nothing;
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

/** What is about to happen, for the user to approve. */
export function formatApproval(request: Approval, page: Page): string {
  const { title, capabilities, isMore = false, isDetailed = false } = request;
  const paint = painter(page.colour);
  return [
    paragraph(paint("bold", safeLine(title)), page, { indent: "" }),
    ...notesIn(request).map((note) => paragraph(safeLine(note), page, { lead: "  ", indent: "    " })),
    capabilities.length === 0 ? "" : titledCapabilities(capabilities, { isMore, isDetailed }, page),
  ].join("");
}

/** The notes as lines, as detailed as the request wants them. */
export function notesIn({ notes, isDetailed = false }: Approval): string[] {
  return notes.flatMap((note) => (typeof note === "string" ? [note] : isDetailed ? note.all : [note.summary]));
}

/** Whether the details would say more. */
export function isSummed({ capabilities, notes }: Approval): boolean {
  return notes.some((note) => typeof note !== "string") || !summarize(capabilities).isComplete;
}

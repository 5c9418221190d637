import type { Report } from "@atomic/terminal/command";
import type { Page } from "@atomic/terminal/page";
import { type Cell, type Column, formatTable } from "@atomic/terminal/table";
import { paragraph } from "@atomic/terminal/wrap";
import { versionLabel } from "../../packages/version-label.ts";
import type { OutdatedResult, WorkflowFreshness } from "../outdated.ts";
import { nothingInstalled, noticeLines, warning } from "../shared/notes.ts";

/** That there is something newer is nothing wrong, so it ends with 0; only if a source did not answer with 1. */
export const outdatedReport: Report<OutdatedResult> = {
  text,
  notes,
  json: ({ workflows, notices }) => ({
    workflows: workflows.map((each) => ({ ...each, outdated: isOutdated(each) })),
    notices,
  }),
  exitCode: ({ workflows }) => (workflows.some(({ problem }) => problem !== undefined) ? 1 : 0),
  error: ({ workflows }) => {
    const unknown = workflows.filter(({ problem }) => problem !== undefined);
    const [first] = unknown;
    const message =
      unknown.length === 1
        ? `${first?.name} could not be compared. ${first?.problem}`
        : `${unknown.length} workflows could not be compared: ${unknown.map(({ name }) => name).join(", ")}`;
    return { code: "not-compared", message, hint: "`problem` of each workflow says why." };
  },
};

const columns: readonly Column[] = [
  { title: "Name" },
  { title: "Installed" },
  { title: "Wanted" },
  { title: "Latest" },
  { title: "Source", least: 10 },
];

function text({ workflows }: OutdatedResult, page: Page): string {
  if (workflows.length === 0) return paragraph(nothingInstalled, page, { indent: "" });
  const behind = workflows.filter((each) => isOutdated(each) || each.problem !== undefined);
  if (behind.length === 0) return paragraph("Everything is up to date.", page, { indent: "" });
  return formatTable(columns, behind.map(row), page);
}

/** There is something else than what is installed: to be taken at once, or not in what was asked for. */
function isOutdated({ installed, wanted, latest }: WorkflowFreshness): boolean {
  return (wanted !== undefined && wanted !== installed) || (latest !== undefined && latest !== installed);
}

function row({ name, installed, wanted, latest, source }: WorkflowFreshness): Cell[] {
  const wantedCell: Cell =
    wanted === undefined ? "?" : { text: versionLabel(wanted), colour: wanted === installed ? "dim" : "green" };
  const latestCell: Cell = latest === undefined ? "?" : { text: versionLabel(latest), colour: "cyan" };
  return [name, versionLabel(installed), wantedCell, latestCell, source];
}

function notes({ workflows, notices }: OutdatedResult, page: Page): string {
  const hasWanted = workflows.some(({ installed, wanted }) => wanted !== undefined && wanted !== installed);
  return [
    ...workflows.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [warning(`${name} could not be compared. ${problem}`, page)],
    ),
    ...workflows.flatMap((each) => noticeLines(each.notices, page)),
    ...noticeLines(notices, page),
    hasWanted ? paragraph("`hugo update` takes what is wanted.", page, { indent: "" }) : "",
  ].join("");
}

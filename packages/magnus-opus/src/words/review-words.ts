// What reviewers agree on, for people: the whole report as Markdown, and the few lines that the session shows.
import { safeLine } from "@atomic/terminal/safe-text";
import type { Agreement, Consensus, Problem } from "../run/consensus.ts";
import { type ReviewFinding, verdictOf } from "../run/review.ts";
import { list, say } from "./template.ts";

const verdicts: Readonly<Record<Consensus["verdict"], string>> = {
  approved: "Approved",
  blocked: "Changes needed",
  open: "No verdict",
};

const agreements: Readonly<Record<Agreement, string>> = {
  unanimous: "unanimous",
  strong: "strong agreement",
  majority: "majority",
  divergent: "divergent",
  single: "one reviewer",
};

/** Of each text that a model wrote. */
const longestText = 2_000;
const mostShown = 10;

/**
 * A model's text on one line of Markdown: nothing in it is hidden, starts a block, becomes HTML or leads anywhere. Its own emphasis
 * and code stay, because they end with the line.
 */
export function inMarkdown(text: string, most = longestText): string {
  const line = safeLine(text);
  const shown = line.length > most ? `${line.slice(0, most)}…` : line;
  return shown
    .replace(/<(?=[a-z/!?])/gi, "&lt;")
    .replaceAll("](", "]\\(")
    .replaceAll("|", "\\|");
}

/** `target`: what was reviewed. */
export function reviewReport(target: string, consensus: Consensus): string {
  const { reviews, abstentions, problems } = consensus;
  const rows = [
    ...reviews.map(({ who, review }) => [who, verdictOf(review), countsOf(review.findings)]),
    ...abstentions.map(({ who }) => [who, "abstained", ""]),
  ];
  const text = say("review/report", {
    ...headOf(consensus),
    target: inMarkdown(target),
    reviewers: rows.map((row) => `| ${row.map((cell) => inMarkdown(cell)).join(" | ")} |`).join("\n"),
    problems:
      problems.length === 0
        ? ""
        : `## Problems\n\n${problems.map((each, at) => problemText(each, at, reviews.length)).join("\n\n")}`,
    summaries: list(reviews.map(({ who, review }) => `**${inMarkdown(who)}**: ${inMarkdown(review.summary)}`)),
    abstentions:
      abstentions.length === 0
        ? ""
        : `## Abstained\n\n${list(abstentions.map((each) => abstentionText(each, longestText)))}`,
  });
  return `${text}\n`;
}

/** `report`: where the whole of it is. */
export function reviewBrief(consensus: Consensus, report: string): string {
  const { abstentions, problems, reviews } = consensus;
  const shown = problems.slice(0, mostShown).map((problem, at) => {
    const [first] = problem.said;
    const names = [...new Set(problem.said.map(({ who }) => who))].map((who) => inMarkdown(who)).join(", ");
    return `${at + 1}. ${placeText(problem)} (${agreements[problem.agreement]}: ${names}): ${inMarkdown(first!.finding.problem, 300)}`;
  });
  // Without findings, only its words say what a rejection is about.
  const silent = reviews.filter(({ review }) => verdictOf(review) !== "APPROVED" && review.findings.length === 0);
  return say("review/brief", {
    ...headOf(consensus),
    report,
    problems: shown.join("\n"),
    more: problems.length > shown.length ? `And ${problems.length - shown.length} more in the report.` : "",
    objections: list(silent.map(({ who, review }) => `${inMarkdown(who)}: ${inMarkdown(review.summary, 300)}`)),
    abstentions: list(abstentions.map((each) => abstentionText(each, 300))),
  });
}

function headOf({ verdict, because, label, agreement, voters }: Consensus) {
  const how = agreement === undefined || agreement === "single" ? "" : `, ${agreements[agreement]}`;
  const who = voters === 0 ? "no reviews" : label;
  return { verdict: verdicts[verdict], because: inMarkdown(because), label: `${who}${how}` };
}

function countsOf(findings: readonly ReviewFinding[]): string {
  const counts = new Map<string, number>();
  for (const { severity } of findings) counts.set(severity, (counts.get(severity) ?? 0) + 1);
  return [...counts].map(([severity, many]) => `${many} ${severity}`).join(", ");
}

/** Its severity, place and category on one line. */
function placeText({ severity, category, file, line, endLine }: Problem): string {
  const range = rangeText({ line, endLine });
  const place = file === undefined ? "no place" : `${inMarkdown(file)}${range === "" ? "" : `:${range}`}`;
  return [severity, place, category].filter((part) => part !== undefined).join(" · ");
}

function rangeText({ line, endLine }: Pick<Problem, "line" | "endLine">): string {
  if (line === undefined) return "";
  return endLine === undefined || endLine === line ? `${line}` : `${line}-${endLine}`;
}

function problemText(problem: Problem, at: number, voters: number): string {
  const { agreement, said } = problem;
  const seen = new Set(said.map(({ who }) => who)).size;
  const lines = said.map(({ who, finding: { severity, line, endLine, problem: what, fix } }) => {
    const range = rangeText({ line, endLine });
    const where = range === "" ? "" : `, ${range.includes("-") ? "lines" : "line"} ${range}`;
    return `**${inMarkdown(who)}** (${severity}${where}): ${inMarkdown(what)}${fix === undefined ? "" : ` Fix: ${inMarkdown(fix)}`}`;
  });
  const how = voters < 2 ? [] : [`Seen by ${seen} of ${voters} reviewers (${agreements[agreement]}).`];
  return [`### ${at + 1}. ${placeText(problem)}`, ...how, list(lines)].join("\n\n");
}

/** Its words do not count, but nothing that a reviewer found is left out. */
function abstentionText({ who, why, words }: Consensus["abstentions"][number], most: number): string {
  const said = words.map((each) => `\n  - It said: ${inMarkdown(each, most)}`).join("");
  return `${inMarkdown(who)}: ${inMarkdown(why, most)}${said}`;
}

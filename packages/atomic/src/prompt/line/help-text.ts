// What `/help` prints.
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { displayWidth, padEnd } from "@atomic/terminal/width";
import { paragraph } from "@atomic/terminal/wrap";
import { keyHelp } from "./own-commands.ts";
import type { Catalog, LeftOut, PromptEntry } from "./suggestions.ts";

/** @param canEdit Otherwise the terminal gives whole lines, and the keys are its own. */
export function helpText({ entries, leftOut = [] }: Catalog, page: Page, canEdit = true): string {
  const paint = painter(page.colour);
  const named = (kind: PromptEntry["kind"]): PromptEntry[] => entries.filter((entry) => entry.kind === kind);
  const own = named("own").map(
    ({ name, hint = "", description }) => [`/${name} ${hint}`.trimEnd(), description] as const,
  );
  const counts = (["workflow", "command", "skill", "agent"] as const).flatMap((kind) => {
    const { length } = named(kind);
    return length === 0 ? [] : [`${length.toLocaleString("en")} ${kind}${length === 1 ? "" : "s"}`];
  });
  const others = `Type / to see them together with ${listed(counts)}. Workflows run in the background; commands, skills, agents and plain text go to the host.`;
  return [
    `${paint("bold", "Commands")}\n`,
    ...rows(own, page),
    ...(canEdit
      ? [`${paint("bold", "Keys")}\n`, ...rows(keyHelp, page)]
      : [paragraph("A \\ before Enter begins a new line.", narrower(page), { indent: "" })]),
    ...(counts.length === 0 ? [] : [paragraph(others, narrower(page), { lead: "", indent: "" })]),
    ...(leftOut.length === 0 ? [] : [paragraph(leftOutText(leftOut), narrower(page), { indent: "" })]),
  ].join("");
}

const reasons: Readonly<Record<LeftOut["because"], readonly [one: string, several: string]>> = {
  "has spaces": ["contains a space", "contain spaces"],
  "cannot be typed": ["contains characters that cannot be typed", "contain characters that cannot be typed"],
  "is taken": ["is already taken", "are already taken"],
};

const mostNamed = 3;

function leftOutText(all: readonly LeftOut[]): string {
  const isOne = all.length === 1;
  const found = Object.entries(reasons).filter(([because]) => all.some((each) => each.because === because));
  const because = found.map(([, [one, several]]) => (isOne ? one : several)).join(" or ");
  const names = all.slice(0, mostNamed).map(({ name }) => `"${safeLine(name)}"`);
  const more = all.length > mostNamed ? [`${(all.length - mostNamed).toLocaleString("en")} more`] : [];
  const named = listed([...names, ...more]);
  const count = all.length.toLocaleString("en");
  if (isOne && all[0]?.because === "is taken")
    return `1 entry is left out because another entry has the same name: ${named}.`;
  return isOne
    ? `1 entry is left out because its name ${because}: ${named}.`
    : `${count} entries are left out because their names ${because}: ${named}.`;
}

function listed(parts: readonly string[]): string {
  return [...(parts.length > 1 ? [parts.slice(0, -1).join(", ")] : []), ...parts.slice(-1)].join(" and ");
}

export function describeEntry({ name, kind, hint = "", description }: PromptEntry, page: Page): string {
  const head = painter(page.colour)("bold", `/${safeLine(name)}`);
  const about = `${kind === "own" ? "" : `${kind}: `}${safeLine(description)}`;
  const usage = hint === "" ? "" : ` ${safeLine(hint)}`;
  const heading = paragraph(`${head}${usage}`, narrower(page), { indent: "    ", breakWords: true });
  return `${heading}${paragraph(about, narrower(page), { lead: "  ", indent: "  " })}`;
}

function narrower(page: Page): Page {
  return page.columns === undefined ? page : { ...page, columns: page.columns - 1 };
}

function rows(table: readonly (readonly [string, string])[], page: Page): string[] {
  const columns = (page.columns ?? 100) - 1;
  const width = Math.min(Math.max(...table.map(([left]) => displayWidth(left))), Math.floor(columns * 0.45));
  const indent = " ".repeat(width + 4);
  return table.map(([written, right]) => {
    const left = safeLine(written);
    const isWide = displayWidth(left) > width;
    // What is too wide for its column gets a row of its own.
    const above = isWide ? paragraph(left, narrower(page), { lead: "  ", indent: "    ", breakWords: true }) : "";
    const lead = isWide ? indent : `  ${padEnd(left, width)}  `;
    return above + paragraph(safeLine(right), narrower(page), { lead, indent });
  });
}

// What `/help` prints.
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { displayWidth, padEnd, truncate } from "@atomic/terminal/width";
import { paragraph } from "@atomic/terminal/wrap";
import { keyHelp } from "./own-commands.ts";
import type { Catalog, PromptEntry } from "./suggestions.ts";

export function helpText({ entries }: Catalog, page: Page): string {
  const paint = painter(page.colour);
  const named = (kind: PromptEntry["kind"]): PromptEntry[] => entries.filter((entry) => entry.kind === kind);
  const own = named("own").map(
    ({ name, hint = "", description }) => [`/${name} ${hint}`.trimEnd(), description] as const,
  );
  const counts = (["workflow", "command", "skill", "agent"] as const).flatMap((kind) => {
    const { length } = named(kind);
    return length === 0 ? [] : [`${length.toLocaleString("en")} ${kind}${length === 1 ? "" : "s"}`];
  });
  const others = `Type / to see them together with ${counts.join(", ")}. Workflows run in the background; commands, skills, agents and plain text go to the host.`;
  return [
    `${paint("bold", "Commands")}\n`,
    ...rows(own, page),
    `${paint("bold", "Keys")}\n`,
    ...rows(keyHelp, page),
    ...(counts.length === 0 ? [] : [paragraph(others, narrower(page), { lead: "", indent: "" })]),
  ].join("");
}

export function describeEntry({ name, kind, hint = "", description }: PromptEntry, page: Page): string {
  const head = painter(page.colour)("bold", `/${safeLine(name)}`);
  const margins = { lead: "  ", indent: "  " };
  const about = `${kind === "own" ? "" : `${kind}: `}${safeLine(description)}`;
  const usage = hint === "" ? "" : ` ${safeLine(hint)}`;
  return `${head}${usage}\n${paragraph(about, narrower(page), margins)}`;
}

function narrower(page: Page): Page {
  return page.columns === undefined ? page : { ...page, columns: page.columns - 1 };
}

function rows(table: readonly (readonly [string, string])[], page: Page): string[] {
  const columns = (page.columns ?? 100) - 1;
  const width = Math.min(Math.max(...table.map(([left]) => displayWidth(left))), Math.floor(columns * 0.45));
  const lead = (left: string): string => `  ${padEnd(truncate(safeLine(left), width), width)}  `;
  return table.map(([left, right]) =>
    paragraph(safeLine(right), narrower(page), { lead: lead(left), indent: " ".repeat(width + 4) }),
  );
}

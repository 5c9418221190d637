import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import type { Graph } from "@atomic/workflows/graph/graph";
import { type ArgumentJson, flagHint } from "@atomic/workflows/graph/graph-arguments";

/** What a workflow takes, behind the help of `atomic run`. */
export function workflowHelp({ name, description, arguments: declared, argumentHint }: Graph, page: Page): string {
  const paint = painter(page.colour);
  const head = paint("bold", `The workflow ${safeLine(name)}:`);
  const about = description === undefined ? "" : ` ${safeLine(description)}`;
  const usage = `  atomic run ${safeLine(name)}${argumentHint === undefined ? "" : ` ${safeLine(argumentHint)}`}`;
  const own = Object.entries(declared ?? {}).map(([key, argument]) => rowOf(key, argument));
  const rows = argumentHint?.includes("--resume <run>") ? [...own, resumeRow] : own;
  const width = Math.max(0, ...rows.map(([term]) => term.length));
  const lines = rows.map(([term, means]) => `  ${paint("cyan", term.padEnd(width))}  ${means}`.trimEnd());
  const free = declared === undefined ? ["  It takes any text, or JSON, as its input."] : [];
  return `\n${[head + about, usage, ...lines, ...free].join("\n")}\n`;
}

/** Of `atomic run` itself; a workflow may speak of it among its own. */
const resumeRow = ["--resume <run>", "Go on with a run of it, as `atomic resume` does"] as const;

function rowOf(key: string, argument: ArgumentJson): readonly [string, string] {
  const term = argument.type === "rest" ? (argument.value ?? key) : flagHint(key, argument);
  const preset = "default" in argument && argument.default !== undefined ? ` (default: ${argument.default})` : "";
  const needed = "required" in argument && argument.required === true ? " (required)" : "";
  return [safeLine(term), safeLine(`${argument.description ?? ""}${preset}${needed}`)];
}

import axe from "axe-core";
import type { OpenedPage } from "./chromium.ts";

/** What makes a page hard or impossible for some people to use, according to axe: `rule: what (where)`. */
export async function seriousProblems(page: OpenedPage["page"]): Promise<string[]> {
  // Evaluated by the debugger, so the page's policy does not matter.
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run(document)")) as { readonly violations: readonly Violation[] };
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html).join(", ")})`);
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

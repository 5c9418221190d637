// What `atomic run --dry-run` says.

import type { Page } from "@atomic/terminal/page";
import { drawGraph } from "@atomic/workflows/graph/picture";
import type { RunRequest } from "../runtime/start-run.ts";
import { budgetText } from "./amounts.ts";
import { type Fact, factSheet } from "./facts.ts";

export function planText({ loaded, input, budget, setup }: RunRequest, page: Page): string {
  const { json } = loaded.compiled;
  const facts: Fact[] = [
    ["workflow", loaded.qualifiedName],
    ["input", input === null ? "" : JSON.stringify(input)],
    ["host", [setup.host, setup.model ?? ""].join(" ").trimEnd()],
    ["tools", toolsText(setup.permissions)],
    ["budget", budgetText(budget) || "no limit"],
    ["uses", Object.values(json.entities ?? {}).join(", ")],
  ];
  const picture = drawGraph(json, { columns: page.columns ?? Number.MAX_SAFE_INTEGER });
  return `${factSheet("plan", json.name, facts, page)}\n${picture}\nNothing was started.\n`;
}

function toolsText(permissions: RunRequest["setup"]["permissions"]): string {
  const words = { allow: "allowed", deny: "denied", ask: "asked about" };
  const { "*": rest, ...named } = permissions;
  const parts = Object.entries(named).map(([tool, answer]) => `${tool} ${words[answer]}`);
  const others = rest === undefined ? "as the workflow says, or asked about" : words[rest];
  return [...parts, `${parts.length > 0 ? "others" : "all"} ${others}`].join(", ");
}

export function planJson({ loaded, input, budget, setup }: RunRequest): object {
  const { where, compiled } = loaded;
  return {
    ok: true,
    version: 1,
    project: where.project,
    home: where.home,
    dryRun: true,
    setup,
    input,
    budget,
    graph: compiled.json,
  };
}

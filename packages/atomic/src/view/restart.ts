// A loop that ended before it was done has nothing that could be tried again: its limits are those it began with.
import { type ArgumentsJson, flagOf } from "@atomic/workflows/graph/graph-arguments";
import type { GraphJson } from "@atomic/workflows/graph/graph-json";
import type { Json } from "@atomic/workflows/run/json";
import type { RunState } from "@atomic/workflows/run/run-state";
import { shellWord } from "./question.ts";

/** Whether a run has failed in a way that another attempt would only repeat. */
export function failsAgain({ status }: Pick<RunState, "status">): boolean {
  return status.kind === "failed" && status.error.name === "LoopIncompleteError";
}

/** The command that starts such a run anew, with more turns where those were too few. */
export function restartCommand({ name, graph, input, status }: RunState): string {
  const { arguments: declared = {} } = graph as unknown as GraphJson & { readonly arguments?: ArgumentsJson };
  const given = (typeof input === "object" && input !== null ? input : {}) as { readonly [key: string]: Json };
  const [, turns] = /after (\d+) iteration/.exec(status.kind === "failed" ? status.error.message : "") ?? [];
  const words = Object.entries(declared).flatMap(([key, argument]) => {
    const value = given[key];
    if (key === "maxIterations" && value === Number(turns)) return [`${flagOf(key)} <more>`];
    if (value === undefined || value === false) return [];
    if ("default" in argument && argument.default === value) return [];
    if (argument.type === "boolean") return [flagOf(key)];
    return [argument.type === "rest" ? shellWord(String(value)) : `${flagOf(key)} ${shellWord(String(value))}`];
  });
  return ["atomic run", shellWord(name ?? "<workflow>"), ...words].join(" ");
}

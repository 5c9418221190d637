import type { MoreHelp } from "@atomic/terminal/command";
import type { Graph } from "@atomic/workflows/graph/graph";
import { type ArgumentJson, flagHint } from "@atomic/workflows/graph/graph-arguments";

/** What a workflow takes, behind the help of `atomic run`. */
export function workflowHelp({ name, description, arguments: declared, argumentHint }: Graph): MoreHelp {
  const own = Object.entries(declared ?? {}).map(([key, argument]) => rowOf(key, argument));
  return {
    title: `The workflow ${name}`,
    about: description,
    usage: `atomic run ${name}${argumentHint === undefined ? "" : ` ${argumentHint}`}`,
    arguments: {
      heading: `Arguments of ${name}:`,
      rows: argumentHint?.includes("--resume <run>") ? [...own, resumeRow] : own,
    },
    remarks: declared === undefined ? ["It takes any text or JSON as its input."] : [],
  };
}

/** An option of `atomic run` itself; a workflow may list it among its own. */
const resumeRow = ["--resume <run>", "Continue one of its runs, like `atomic resume`"] as const;

function rowOf(key: string, argument: ArgumentJson): readonly [string, string] {
  const isNeeded = "required" in argument && argument.required === true;
  const word = "value" in argument ? (argument.value ?? key) : key;
  const term = argument.type === "rest" ? (isNeeded ? `<${word}>` : `[${word}]`) : flagHint(key, argument);
  const preset = "default" in argument && argument.default !== undefined ? `(default: ${argument.default})` : "";
  const parts = [argument.description ?? "", preset, isNeeded ? "(required)" : ""];
  return [term, parts.filter((part) => part !== "").join(" ")];
}

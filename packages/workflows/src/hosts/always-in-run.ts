// What "always in this run" covers: other uses of the same tool that you would judge in the same way. Pure.
import { pathTools } from "../entities/normalize/tool-names.ts";
import type { Json } from "../run/json.ts";
import { contains, type ToolRequest } from "./file-answer.ts";
import { ShellLine } from "./shell-commands.ts";

/** Programs whose first word says what they do. */
const withSubcommands = new Set("bun cargo deno gh git go npm pip pnpm uv yarn".split(" "));
/** After one of these, the program runs whatever comes next. */
const runsAnything = new Set("dlx eval exec run x".split(" "));
const withScripts = new Set("bun npm pnpm yarn".split(" "));

/**
 * The uses of the tool that one answer can cover, as a pattern: `git push *` for a command, `*` for files in the project and
 * for other tools. Undefined: only exactly this request, as for a line that does more than one thing.
 */
export function alwaysPattern(request: ToolRequest): string | undefined {
  const { tool, detail } = request;
  if (pathTools.has(tool)) return contains({ tool, pattern: "*" }, request) ? "*" : undefined;
  if (tool !== "bash") return "*";
  const { commands, isClear } = new ShellLine(detail);
  const [command] = commands;
  if (!isClear || commands.length !== 1 || !command?.isClear || command.hasEffects) return undefined;
  const [program = "", verb = "", script = ""] = command.text.split(" ");
  if (!withSubcommands.has(program) || !/^[a-z][\w-]*$/.test(verb)) return undefined;
  if (!runsAnything.has(verb)) return `${program} ${verb} *`;
  return verb === "run" && withScripts.has(program) && /^[\w:.-]+$/.test(script)
    ? `${program} run ${script} *`
    : undefined;
}

/** Whether an earlier question, which was answered with "always in this run", covers this request. */
export function isCovered(earlier: Json, request: ToolRequest): boolean {
  const { type, tool, detail, always } = (earlier ?? {}) as { readonly [key: string]: Json };
  if (type !== "permission" || tool !== request.tool) return false;
  return detail === request.detail || (typeof always === "string" && contains({ tool, pattern: always }, request));
}

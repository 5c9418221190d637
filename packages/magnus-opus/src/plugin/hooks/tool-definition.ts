import { words } from "../../words/template.ts";
import type { Call } from "../approval/ask-person.ts";
import type { Magnus } from "../live/magnus.ts";
import type { Tool } from "../tools/tool.ts";
import { tools } from "../tools/tools.ts";

/** What OpenCode hands to a tool. */
interface ToolContext {
  readonly sessionID: string;
  readonly callID: string;
  readonly ask: Call["ask"];
  readonly agent: string;
  readonly abort: AbortSignal;
}

/** Its arguments come with `tool.definition`: here OpenCode would want them as a schema of its own library. */
export function toolHook(magnus: Magnus, tool: Tool): object {
  return {
    description: words(`tools/${tool.name}`),
    args: {},
    execute: (args: unknown, { sessionID, callID, agent, abort, ask }: ToolContext) =>
      tool.run(magnus, args, { id: callID, session: sessionID, agent, abort, ask }),
  };
}

export function defineTool(name: string, output: object): void {
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) Object.assign(output, { jsonSchema: tool.schema });
}

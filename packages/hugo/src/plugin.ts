// Hugo inside OpenCode: the same commands as in a terminal, as tools for a model. OpenCode loads this file at every
// start, so nothing is read, written or loaded before it is needed.

import type { HugoHooks, HugoPluginContext, ToolContext, ToolDefinition } from "./plugin/opencode.ts";
import { AskedCalls, addRules, type Settings, settingsFor } from "./plugin/permission-rules.ts";
import { Reload } from "./plugin/reload.ts";
import { askingTools, type HugoTool, tools } from "./plugin/tools.ts";

/** The only export: OpenCode would treat any other one as a plugin, too. */
const plugin: { readonly id: string; readonly server: typeof hooksFor } = { id: "hugo-pm", server: hooksFor };
export default plugin;

async function hooksFor(context: HugoPluginContext): Promise<HugoHooks> {
  const asked = new AskedCalls();
  const reload = new Reload(context);
  let last: Promise<unknown> = Promise.resolve();
  let settings: Settings = settingsFor(askingTools, undefined);
  const execute = async (tool: HugoTool, given: unknown, call: ToolContext): Promise<string> => {
    const { runTool } = await import("./plugin/run-tool.ts");
    const run = (): Promise<string> => runTool(tool, given, call, { settings, asked, reload });
    if (!tool.asks) return await run();
    // One after the other: two changes at once would lock each other out while the user reads a question.
    const next = last.then(run);
    last = next.catch(() => undefined);
    return await next;
  };
  return {
    config: async (config) => {
      settings = settingsFor(askingTools, config.permission);
      addRules(config, askingTools, settings);
    },
    event: async ({ event }) => {
      asked.notice(event);
      await reload.notice(event);
    },
    // The description for the model comes with `tool.definition`, when there is a model.
    tool: Object.fromEntries(
      tools.map((tool): [string, ToolDefinition] => [
        tool.name,
        { description: tool.name, args: {}, execute: (given, call) => execute(tool, given, call) },
      ]),
    ),
    "tool.definition": async ({ toolID }, output) => {
      const tool = tools.find(({ name }) => name === toolID);
      if (tool === undefined) return;
      const { definitionOf } = await import("./plugin/tool-arguments.ts");
      Object.assign(output, await definitionOf(tool));
    },
  };
}

// What a model sees of the tools for background tasks. The rest is loaded when one of them is first used.
import { readyBackgroundOf } from "../background/loaded.ts";
import { taskTitle } from "./titles.ts";
import type { MagnusTool } from "./tool.ts";
import { backgroundToolNames } from "./tool-names.ts";

const text = { type: "string" };
const flag = { type: "boolean" };

const schemas: Readonly<Record<(typeof backgroundToolNames)[number], object>> = {
  delegate_task: {
    type: "object",
    properties: {
      description: { ...text, description: "5 to 10 words" },
      prompt: { ...text, description: "All that the agent needs to know" },
      category: { ...text, description: "visual, business-logic, or one of the user's; instead of subagent_type" },
      subagent_type: text,
      run_in_background: { ...flag, description: "false: wait for the result" },
      skills: { type: ["array", "null"], items: text, description: "Names of skills for this task, or null" },
      resume: { ...text, description: "The id of an ended task to continue" },
    },
    required: ["description", "prompt", "run_in_background", "skills"],
    additionalProperties: false,
  },
  background_task: {
    type: "object",
    properties: { description: text, prompt: text, agent: text },
    required: ["description", "prompt", "agent"],
    additionalProperties: false,
  },
  background_output: {
    type: "object",
    properties: {
      task_id: text,
      wait: { ...flag, description: "Default true; false returns at once" },
      timeout_seconds: { type: "number" },
      detail: { type: "string", enum: ["short", "whole", "summary"], description: "summary costs a model call" },
    },
    required: ["task_id"],
    additionalProperties: false,
  },
  background_cancel: {
    type: "object",
    properties: { task_id: text, all: flag },
    additionalProperties: false,
  },
  background_list: { type: "object", properties: {}, additionalProperties: false },
};

export const backgroundTools: readonly MagnusTool[] = backgroundToolNames.map((name) => ({
  name,
  schema: schemas[name],
  title: (_, args, magnus) => taskTitle(name, args, [...(readyBackgroundOf(magnus)?.state.tasks.values() ?? [])]),
  run: async (magnus, args, call) => {
    const { runBackgroundTool } = await import("../background/run-tool.ts");
    return await runBackgroundTool(name, magnus, args, call);
  },
}));

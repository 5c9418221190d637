// A step, and a scripted host behind the interface that graphs see.
import type { PromptRequest } from "../../src/graph/services.ts";
import { type NodeHostOptions, nodeHostOf } from "../../src/hosts/node-host-of.ts";
import { type Script, type ScriptedPrompt, type ScriptedStore, scriptedHost } from "../../src/hosts/scripted.ts";
import type { Usage } from "../../src/run/budget.ts";
import type { Json } from "../../src/run/json.ts";
import type { StepInfo } from "../../src/run/run-ctx.ts";

export const request: PromptRequest = { runId: "run", path: "fan.1/work", prompt: "do it", keep: true };

/** What a step receives, and what it has reported. */
export function step(more: Partial<StepInfo> = {}) {
  const notes: Json[] = [];
  const spent: Usage[] = [];
  const questions: Json[] = [];
  const info: StepInfo = {
    folder: "",
    attempt: 1,
    idemKey: "run/fan.1/work",
    countedBefore: { usd: 0, tokens: 0 },
    signal: new AbortController().signal,
    note: (note) => void notes.push(note),
    spend: (usage) => void spent.push(usage),
    ask: async (about) => {
      questions.push(about);
      return true;
    },
    ...more,
  };
  return { info, notes, spent, questions };
}

export function scripted(script: Script, more: Partial<NodeHostOptions> & { store?: ScriptedStore } = {}) {
  const { store = new Map(), ...options } = more;
  const asked: ScriptedPrompt[] = [];
  const recorded: Script = (prompt) => {
    asked.push(prompt);
    return script(prompt);
  };
  const hosts = { scripted: async () => scriptedHost({ script: recorded, store }) };
  return { asked, host: nodeHostOf({ hosts, default: "scripted", folder: "/project", ...options }) };
}

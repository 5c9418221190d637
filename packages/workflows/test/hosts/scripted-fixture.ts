import { writeFile } from "node:fs/promises";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { HostError, isRefusal } from "../../src/hosts/host.ts";
import {
  type Script,
  type ScriptedPrompt,
  type ScriptedStore,
  type ScriptedTurn,
  scriptedHost,
} from "../../src/hosts/scripted.ts";
import { RateLimitError } from "../../src/run/step-errors.ts";
import type { Asked, HostFixture, ModelScript } from "./host-fixture.ts";

type Act = (asked: ScriptedPrompt) => ScriptedTurn;

export async function scriptedFixture(): Promise<HostFixture> {
  const folder = await temporaryFolder();
  const store: ScriptedStore = new Map();
  const { script, model } = scriptedModel();
  return {
    host: async () => scriptedHost({ script, store }),
    session: { folder: folder.path },
    script: model,
    isUsageStored: true,
    unknownId: "4b5cbd4e-9b1e-4d36-8f4e-0d6f2f1f7f5e",
    tools: { read: "read", write: "write" },
    otherModel: { option: "other", requested: "other" },
    processes: async () => [],
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** The first lines of a prompt are enough, as for a model: a node may add to it. */
function isMeant(known: string, prompt: string): boolean {
  return prompt === known || prompt.startsWith(`${known}\n`);
}

/** A script that is written by the suite as it goes. */
function scriptedModel(): { script: Script; model: ModelScript } {
  const acts = new Map<string, Act>();
  let seen: { readonly prompt: string; readonly asked: Asked }[] = [];
  const record = (prompted: ScriptedPrompt, toolResults: readonly string[] = []) =>
    void seen.push({ prompt: prompted.prompt, asked: askedOf(prompted, toolResults) });
  const model: ModelScript = {
    says: (prompt, text, { gate, usage } = {}) =>
      void acts.set(prompt, async function* ({ signal }) {
        for (const chunk of typeof text === "string" ? [text] : text) {
          await gate?.pass(signal);
          yield { text: chunk };
        }
        if (usage !== undefined) yield { usage: { inputTokens: usage.input, outputTokens: usage.output } };
      }),
    writes: (prompt, { path, content }, then) =>
      void acts.set(prompt, async function* (prompted) {
        const run = async () => {
          await writeFile(path, content);
          return "written";
        };
        const outcome = yield { tool: "write", input: { path, content }, detail: path, run };
        record(prompted, [outcome?.output ?? ""]);
        yield { text: then };
      }),
    hangs: (prompt) => {
      const begun = Promise.withResolvers<void>();
      const stopped = Promise.withResolvers<void>();
      acts.set(prompt, async function* ({ signal }) {
        yield { text: "hm" };
        begun.resolve();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        stopped.resolve();
      });
      return { begun: () => begun.promise, stopped: () => stopped.promise };
    },
    fails: (prompt, status, { message = "", retryAfter = 0 }) =>
      // biome-ignore lint/correctness/useYield: it fails before it has anything to say
      void acts.set(prompt, async function* () {
        if (status === 429) throw new RateLimitError(message, { retryAfterMs: retryAfter * 1000 });
        throw new HostError("prompt-failed", { host: "scripted", message, isPermanent: isRefusal(status) });
      }),
    asked: (prompt) => seen.flatMap((each) => (isMeant(prompt, each.prompt) ? [each.asked] : [])),
    verify() {
      const unused = [...acts.keys()].filter((prompt) => !seen.some((each) => isMeant(prompt, each.prompt)));
      acts.clear();
      seen = [];
      if (unused.length > 0) throw new Error(`Scripted, but never asked: ${unused.join(", ")}`);
    },
  };
  const script: Script = (prompted) => {
    record(prompted);
    const [, act] = [...acts].find(([known]) => isMeant(known, prompted.prompt)) ?? [];
    if (act === undefined) throw new Error(`No script for "${prompted.prompt}".`);
    return act(prompted);
  };
  return { script, model };
}

function askedOf({ options, history }: ScriptedPrompt, toolResults: readonly string[]): Asked {
  const { tools = ["read", "write"], deny = [] } = options;
  return {
    model: options.model ?? "",
    system: [options.agent?.prompt, options.system].join("\n"),
    messages: history.flatMap(({ prompt, reply }) => [prompt, reply]),
    tools: tools.filter((tool) => !deny.includes(tool)),
    toolResults,
  };
}

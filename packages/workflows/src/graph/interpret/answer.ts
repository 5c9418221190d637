import type { Json } from "../../run/json.ts";
import { isFunctionRef } from "../function-refs.ts";
import type { AskUserJson, WaitJson } from "../graph-json.ts";
import { present } from "../present.ts";
import { takeOutput } from "./result.ts";
import { failure, madeOf, type Scope, textOf } from "./scope.ts";

type Question = { readonly text: string; readonly auto: boolean };

/** Waits for an answer under the key that is the node's path. The question is shown to whoever looks at the run. */
export async function runAnswer(scope: Scope, node: WaitJson | AskUserJson, path: string): Promise<void> {
  const { text, auto } = await questionOf(scope, node, path);
  const answer = auto ? (node.fallback ?? true) : await waitFor(scope, node, path, text);
  await takeOutput(scope, node, path, answer);
}

async function questionOf(scope: Scope, node: WaitJson | AskUserJson, path: string): Promise<Question> {
  const [role, given] = node.kind === "wait" ? ["prompt", node.prompt] : ["question", node.question];
  const auto = node.kind === "wait" && node.auto !== undefined ? node.auto : { value: false };
  if (!isFunctionRef(given) && !isFunctionRef(auto)) return { text: given.value, auto: auto.value };
  const ask = async (): Promise<Question> => ({
    text: await textOf(scope, node.id, role, given),
    auto: (await madeOf(scope, node.id, auto)) === true,
  });
  return await scope.ctx.step(`${path}:question`, ask, { local: true });
}

async function waitFor(scope: Scope, node: WaitJson | AskUserJson, path: string, text: string): Promise<Json> {
  const { timeoutMs, fallback } = node;
  const choice =
    node.kind === "wait" ? {} : present({ header: node.header, options: node.options, multiple: node.multiple });
  const about = { kind: node.kind, question: text, ...choice };
  const answer = await scope.ctx.wait<Json>(path, { about, ...present({ timeoutMs }) });
  if (answer.ok) return answer.value;
  if (fallback === undefined) throw failure(path, "WaitTimeoutError", `nobody answered within ${timeoutMs} ms`);
  return fallback;
}

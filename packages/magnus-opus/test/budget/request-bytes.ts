import type { ModelServer } from "@atomic/testing/model-server";

export type Request = ModelServer["prompts"][number];

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

function bodyOf({ raw }: Request): ChatBody {
  return raw as ChatBody;
}

/** What a request says before a person has said anything. */
function preamble(request: Request): string {
  const { messages, tools = [] } = bodyOf(request);
  return JSON.stringify([messages.filter(({ role }) => role === "system"), tools]);
}

export function preambleBytes(request: Request): number {
  return Buffer.byteLength(preamble(request));
}

export function toolNames(request: Request): readonly string[] {
  return (bodyOf(request).tools ?? []).map((tool) => tool.function.name).toSorted();
}

/**
 * Where a cache of the earlier request would be of no use to the later one, or undefined if all of it is. Providers put the
 * tools first, then the messages in their order.
 */
export function firstDifference(earlier: Request, later: Request): string | undefined {
  const [before, after] = [serialised(earlier), serialised(later)];
  if (after.startsWith(before)) return undefined;
  const at = [...before].findIndex((_, index) => before[index] !== after[index]);
  return `${before.slice(Math.max(0, at - 80), at + 80)} | ${after.slice(Math.max(0, at - 80), at + 80)}`;
}

function serialised(request: Request): string {
  const { messages, tools = [] } = bodyOf(request);
  return [...tools, ...messages].map((part) => JSON.stringify(part)).join("\n");
}

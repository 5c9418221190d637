/** A message of a person, as the SDK wants it. */
export interface TypedPrompt {
  readonly type: "user";
  readonly session_id: string;
  readonly parent_tool_use_id: null;
  readonly message: { readonly role: "user"; readonly content: string };
}

/** One message a prompt, until there are no more or `ended`: the program waits for the next one as long as it may. */
export async function* userMessages(prompts: AsyncIterable<string>, ended: Promise<void>): AsyncGenerator<TypedPrompt> {
  const iterator = prompts[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), ended]);
    if (!next || next.done) return;
    const message = { role: "user", content: next.value } as const;
    yield { type: "user", session_id: "", parent_tool_use_id: null, message };
  }
}

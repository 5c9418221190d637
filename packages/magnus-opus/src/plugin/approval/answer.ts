// What a person said to a prompt. OpenCode throws what is not a yes.
export type Answer =
  | { readonly kind: "yes" }
  | { readonly kind: "no"; readonly notes: string }
  /** Esc, or an OpenCode without a screen, which rejects by itself. */
  | { readonly kind: "none" };

/** OpenCode forgets the prompts of a turn that was ended; whoever waits for the answer must not. */
export async function answerTo(prompt: Promise<unknown>, abort: AbortSignal): Promise<Answer> {
  const ended = new Promise<Answer>((resolve) => {
    if (abort.aborted) resolve({ kind: "none" });
    abort.addEventListener("abort", () => resolve({ kind: "none" }), { once: true });
  });
  return await Promise.race([ended, said(prompt)]);
}

async function said(prompt: Promise<unknown>): Promise<Answer> {
  try {
    await prompt;
    return { kind: "yes" };
  } catch (error) {
    const { _tag, name, feedback } = error as { _tag?: unknown; name?: unknown; feedback?: unknown };
    if (!/^Permission\w*Error$/.test(String(_tag ?? name))) throw error;
    const notes = typeof feedback === "string" ? feedback.trim() : "";
    return notes === "" ? { kind: "none" } : { kind: "no", notes };
  }
}

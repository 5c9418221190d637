import type { CommonInput } from "../../src/commands/shared/hugo-command.ts";
import type { Context } from "../../src/context.ts";

/** A context whose user cannot be asked; what a command reports meanwhile goes to `steps`. */
export function quietContext(
  cwd: string,
  more: Partial<Pick<Context, "home" | "env">> & { readonly steps?: string[] } = {},
): Context {
  return {
    cwd,
    home: more.home ?? cwd,
    env: more.env ?? {},
    user: { approve: async () => "nobody", progress: (step) => more.steps?.push(step) },
  };
}

export const common: CommonInput = { global: false, dryRun: false, yes: false };

/** As a file or a pipe gets it. */
export const plain = { colour: false } as const;

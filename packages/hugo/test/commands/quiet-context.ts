import type { CommonInput } from "../../src/commands/shared/hugo-command.ts";
import type { Context } from "../../src/context.ts";

/** Somebody in a folder who is never asked; what a command says meanwhile goes to `steps`. */
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

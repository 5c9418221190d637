import type { Interpret } from "@atomic/workflows/internal/run/engine";

export interface Job {
  readonly steps: number;
  /** How long each step waits for something outside. */
  readonly waitMs: number;
  /** Asks a question first. */
  readonly asks: boolean;
}

export const program: Interpret = async (ctx, { input }) => {
  const { steps, waitMs, asks } = input as unknown as Job;
  if (asks) await ctx.wait("ask");
  for (let step = 0; step < steps; step++) {
    await ctx.step(`s${step}`, async () => {
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      return step;
    });
  }
  return null;
};

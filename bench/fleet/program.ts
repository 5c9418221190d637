import type { Interpret } from "@atomic/workflows/internal/run/engine";

export interface Job {
  readonly steps: number;
  /** How long each step waits for something outside. */
  readonly waitMs: number;
  /** Asks a question first. */
  readonly asks: boolean;
}

/** Every step returns when it began. */
export const program: Interpret = async (ctx, { input }) => {
  const { steps, waitMs, asks } = input as unknown as Job;
  let began = 0;
  if (asks) await ctx.wait("ask");
  for (let step = 0; step < steps; step++) {
    began = await ctx.step(`s${step}`, async ({ signal }) => {
      const now = Date.now();
      if (waitMs > 0) await pause(waitMs, signal);
      return now;
    });
  }
  return began;
};

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

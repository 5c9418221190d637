// What `/magnus-review` was asked for: what to review, and by which models.
import { resolveModels } from "../../delegate/review-models.ts";
import { reviewTarget } from "../../evidence/review-target.ts";
import type { MagnusRunOptions } from "../../run/run-options.ts";
import type { Magnus } from "../live/magnus.ts";

export interface ReviewRequest {
  /** What is reviewed, in words. */
  readonly about: string;
  readonly options: Partial<Pick<MagnusRunOptions, "reviewModels" | "quorum">>;
  readonly notes: readonly string[];
}

/** `typed`: the models that the command names; otherwise the settings may name some. */
export async function reviewRequest(
  { opencode, settings, workplace }: Magnus,
  words: string,
  typed: readonly string[] | undefined,
): Promise<ReviewRequest | { readonly problem: string }> {
  const target = await reviewTarget(words, workplace);
  if ("problem" in target) return target;
  const { reviewModels, gates } = settings.config;
  const wanted = typed ?? reviewModels?.codeReview ?? [];
  if (wanted.length === 0) return { about: target.about, options: {}, notes: [] };
  const connected = await opencode.models();
  const lost = typed === undefined ? wanted.filter((model) => !connected.has(model)) : [];
  const resolved = resolveModels(
    wanted.filter((model) => !lost.includes(model)),
    connected,
  );
  if ("problem" in resolved) return resolved;
  const { models } = resolved;
  // More than half, so that one model that does not answer does not leave the others without a verdict.
  const needed = Math.min(gates?.quorum ?? Math.floor(models.length / 2) + 1, models.length);
  return {
    about: target.about,
    options: models.length === 0 ? {} : { reviewModels: [...models], quorum: { "code-review": needed } },
    notes: lost.map((model) => `The review model ${model} is not connected, so it does not review.`),
  };
}

import { Refusal } from "./refusal.ts";
import { safe } from "./safe-text.ts";
import { didYouMean } from "./suggest.ts";

/** Where a user reads on, as whole sentences. */
interface RunHints {
  /** `atomic runs --all` lists them. */
  readonly list: string;
  /** `atomic run <workflow>` starts one. */
  readonly start: string;
}

const mostListed = 5;

/** The id of the run that the user means: by the whole id, or by any unique prefix of it. */
export function findRun(typed: string, ids: readonly string[], hints: RunHints): string {
  if (ids.includes(typed)) return typed;
  const begun = typed === "" ? [] : ids.filter((id) => id.toLowerCase().startsWith(typed.toLowerCase()));
  const [only, ...others] = begun;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    const more = begun.length > mostListed ? ` and ${begun.length - mostListed} more` : "";
    throw new Refusal("run-ambiguous", {
      message: safe`several run ids start with "${typed}"`,
      hint: safe`They are ${begun.slice(0, mostListed).join(", ") + more}.`,
    });
  }
  if (ids.length === 0) throw noRuns(hints);
  const [best] = didYouMean(typed, ids);
  const meant = best === undefined ? "" : safe` (did you mean ${best}?)`;
  throw new Refusal("run-not-found", { message: `${safe`no run matches "${typed}"`}${meant}`, hint: hints.list });
}

export function noRuns({ start }: Pick<RunHints, "start">): Refusal {
  return new Refusal("no-runs", { message: "there are no runs in this project yet", hint: start });
}

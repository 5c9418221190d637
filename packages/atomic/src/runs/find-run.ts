import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { didYouMean } from "@atomic/terminal/suggest";

/** The run that is meant: by its id, or by the beginning of it that no other run shares. */
export function findRun(typed: string, ids: readonly string[]): string {
  if (ids.includes(typed)) return typed;
  const begun = typed === "" ? [] : ids.filter((id) => id.startsWith(typed.toLowerCase()));
  const [only, ...others] = begun;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    throw new Refusal("run-ambiguous", {
      message: safe`several runs begin with "${typed}"`,
      hint: `They are ${listed(begun)}.`,
    });
  }
  if (ids.length === 0) {
    throw new Refusal("no-runs", {
      message: "there are no runs in this project yet",
      hint: "`atomic run <workflow>` starts one.",
    });
  }
  const [best] = didYouMean(typed, ids);
  const meant = best === undefined ? "" : ` (did you mean ${best}?)`;
  throw new Refusal("run-not-found", {
    message: `${safe`no run is called "${typed}"`}${meant}`,
    hint: "`atomic runs --all` lists them.",
  });
}

const mostListed = 5;

function listed(ids: readonly string[]): string {
  const more = ids.length > mostListed ? ` and ${ids.length - mostListed} more` : "";
  return ids.slice(0, mostListed).join(", ") + more;
}

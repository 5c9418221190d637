// The models that a review names, by their full names.
import { didYouMean } from "@atomic/terminal/suggest";

export type ResolvedModels = { readonly models: readonly string[] } | { readonly problem: string };

/** More would fill the screen. */
const mostListed = 20;

/** `connected`: as `provider/model`. The provider may be left out if only one has the model. */
export function resolveModels(wanted: readonly string[], connected: ReadonlySet<string>): ResolvedModels {
  const models: string[] = [];
  const known = [...connected].toSorted();
  for (const name of wanted) {
    if (connected.has(name)) {
      models.push(name);
      continue;
    }
    const alike = known.filter((each) => each.slice(each.indexOf("/") + 1) === name);
    if (alike.length > 1) return { problem: `Several providers have the model ${name}: ${alike.join(", ")}.` };
    if (alike.length === 0) return { problem: unknownText(name, known) };
    models.push(alike[0]!);
  }
  return { models: [...new Set(models)] };
}

function unknownText(name: string, known: readonly string[]): string {
  const [best] = didYouMean(name, [...known, ...known.map((each) => each.slice(each.indexOf("/") + 1))]);
  const listed = known.slice(0, mostListed).join(", ");
  const more =
    known.length > mostListed ? ` and ${known.length - mostListed} more (\`opencode models\` lists them)` : "";
  const models = known.length === 0 ? "No models are connected." : `Connected models: ${listed}${more}.`;
  const hint = best === undefined ? "" : ` Did you mean ${best}?`;
  return `There is no connected model ${JSON.stringify(name)}.${hint} ${models}`;
}

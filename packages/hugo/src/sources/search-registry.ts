import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import type { SearchHit } from "./fetched.ts";
import { redact } from "./redact.ts";
import { registrySettings } from "./registry/approved-settings.ts";
import { objectOrEmpty, type Packument, readJson, readPackument, refusalOf } from "./registry/packument.ts";
import { get } from "./registry/request.ts";
import { registryOf } from "./registry/settings.ts";

/** Of what Hugo installs: workflows, and OpenCode's own plugins. */
export const KEYWORDS: readonly string[] = ["opencode-workflow", "opencode-plugin"];
const MOST_HITS = 100;
/** How registries without search answer. */
const noSearch: ReadonlySet<number> = new Set([400, 404, 405, 410, 501]);

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** The registry has more than it returned. */
  readonly isCut: boolean;
}

/** Packages with one of the keywords that match all words; all such packages without a word. */
export async function searchRegistry(words: readonly string[], context: Context): Promise<SearchAnswer> {
  context.user.progress("Searching the registry");
  const settings = await registrySettings(context);
  const registry = registryOf("", settings);
  const unavailable = (why: string): HugoError => {
    const place = redact(registry);
    return new HugoError("search-unavailable", {
      message: `The registry ${place} does not support search (${why})`,
      at: place,
      hint: "Search on the registry's website, then run `hugo info` with the package's name.",
    });
  };
  const found = new Map<string, SearchHit>();
  let isCut = false;
  // Registries disagree about what a list of keywords means, so each is asked for on its own.
  for (const keyword of KEYWORDS) {
    const query = new URLSearchParams({ text: [`keywords:${keyword}`, ...words].join(" "), size: String(MOST_HITS) });
    const url = `${registry}-/v1/search?${query}`;
    const { objects, total } = await get({ url, settings, context }, async (status, body) => {
      if (status === 200) return await readJson(body, url);
      throw noSearch.has(status) ? unavailable(String(status)) : refusalOf(status, "a search", registry);
    });
    // An answer without a list does not mean that there is nothing.
    if (!Array.isArray(objects)) throw unavailable("its answer has no list of packages");
    isCut ||= typeof total === "number" && total > objects.length;
    for (const object of objects) {
      const { name, version, description, keywords, date } = objectOrEmpty(objectOrEmpty(object).package);
      if (typeof name !== "string" || typeof version !== "string") continue;
      // Some registries ignore search terms they do not know.
      if (Array.isArray(keywords) && !keywords.includes(keyword)) continue;
      const published = typeof date === "string" ? new Date(date) : new Date(Number.NaN);
      const about = { name, version, description: typeof description === "string" ? description : "" };
      found.set(name, Number.isNaN(+published) ? about : { ...about, published });
    }
  }
  return { hits: [...found.values()], isCut };
}

/** The registry's versions of a package. */
export async function registryVersions(name: string, context: Context): Promise<Packument> {
  context.user.progress(`Asking the registry for ${name}`);
  return await readPackument(name, await registrySettings(context), context);
}

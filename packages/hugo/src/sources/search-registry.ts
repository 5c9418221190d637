import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import type { RegistryVersions, SearchHit } from "./fetched.ts";
import { redact } from "./redact.ts";
import { registrySettings } from "./registry/approved-settings.ts";
import { objectIn, readJson, readPackument, refusalOf } from "./registry/packument.ts";
import { get } from "./registry/request.ts";
import { registryOf } from "./registry/settings.ts";

const KEYWORD = "opencode-workflow";
const MOST_HITS = 100;
/** How registries without search answer. */
const noSearch: ReadonlySet<number> = new Set([404, 405, 410, 501]);

/** Workflows in the registry that match all words; all workflows without a word. */
export async function searchRegistry(words: readonly string[], context: Context): Promise<readonly SearchHit[]> {
  context.user.progress("Searching the registry");
  const settings = await registrySettings(context);
  const registry = registryOf("", settings);
  const query = new URLSearchParams({ text: [`keywords:${KEYWORD}`, ...words].join(" "), size: String(MOST_HITS) });
  const url = `${registry}-/v1/search?${query}`;
  const answer = await get({ url, settings, context }, async (status, body) => {
    if (status === 200) return await readJson(body, url);
    if (noSearch.has(status)) {
      const place = redact(registry);
      throw new HugoError("search-unavailable", {
        message: `The registry ${place} does not support search (${status})`,
        at: place,
        hint: "Search on the registry's website, then run `hugo info` with the package's name.",
      });
    }
    throw refusalOf(status, "a search", registry);
  });
  const objects = Array.isArray(answer.objects) ? answer.objects : [];
  return objects.flatMap((object): SearchHit[] => {
    const { name, version, description, keywords, date } = objectIn(objectIn(object).package);
    if (typeof name !== "string" || typeof version !== "string") return [];
    // Some registries ignore search terms they do not know.
    if (Array.isArray(keywords) && !keywords.includes(KEYWORD)) return [];
    const published = typeof date === "string" ? new Date(date) : new Date(Number.NaN);
    const about = { name, version, description: typeof description === "string" ? description : "" };
    return [Number.isNaN(+published) ? about : { ...about, published }];
  });
}

/** The registry's versions of a package. */
export async function registryVersions(name: string, context: Context): Promise<RegistryVersions> {
  context.user.progress(`Asking the registry for ${name}`);
  return await readPackument(name, await registrySettings(context), context);
}

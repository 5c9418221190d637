import type { Found } from "../sources/fetched.ts";
import { searchRegistry } from "../sources/search-registry.ts";
import { placeFor } from "../workspace/place.ts";
import { readSnapshot } from "../workspace/read-snapshot.ts";
import { searchReport } from "./report/search.ts";
import type { Operation } from "./shared/operation.ts";

export interface SearchResult {
  readonly words: readonly string[];
  readonly packages: readonly FoundPackage[];
}

export interface FoundPackage extends Found {
  /** The workflow's name, if the package is installed here. */
  readonly installedAs?: string;
}

const words = { words: { count: "many", summary: "What to search for (default: list every workflow)" } } as const;

export const search: Operation<typeof words, Record<never, never>, SearchResult> = {
  name: "search",
  summary: "Search the registry for workflows",
  details: "It finds packages with the keyword opencode-workflow.",
  arguments: words,
  options: {},
  examples: [
    { command: "hugo search code review", shows: "workflows that match both words" },
    { command: "hugo search", shows: "all workflows in the registry" },
  ],
  mutates: false,
  async run(context, input) {
    const { lock } = await readSnapshot(placeFor(context, input));
    const installed = new Map([...lock.workflows].map(([name, workflow]) => [workflow.package, name]));
    const packages = (await searchRegistry(input.words, context)).map((found): FoundPackage => {
      const installedAs = installed.get(found.name);
      return { ...found, ...(installedAs !== undefined && { installedAs }) };
    });
    return { words: input.words, packages };
  },
  report: searchReport,
};

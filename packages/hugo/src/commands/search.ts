import { safe } from "@atomic/terminal/safe-text";
import { type Cell, type Column, formatTable } from "@atomic/terminal/table";
import { paragraph } from "@atomic/terminal/wrap";
import { versionLabel } from "../packages/labels.ts";
import type { SearchHit } from "../sources/fetched.ts";
import { KEYWORDS, searchRegistry } from "../sources/search-registry.ts";
import { placeFor } from "../workspace/place.ts";
import { readSnapshot } from "../workspace/snapshot.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";

interface SearchResult {
  readonly words: readonly string[];
  readonly packages: readonly FoundPackage[];
  /** The registry has more than it returned. */
  readonly isCut: boolean;
}

interface FoundPackage extends SearchHit {
  /** The workflow's name, if the package is installed here. */
  readonly installedAs?: string;
}

const words = { words: { count: "many", summary: "What to search for (default: list everything)" } } as const;

export const search: HugoCommand<typeof words, Record<never, never>, SearchResult> = {
  name: "search",
  summary: "Search the registry for workflows and plugins",
  details: `Finds packages with the keyword ${KEYWORDS.join(" or ")}.`,
  arguments: words,
  options: {},
  examples: [
    { command: "hugo search code review", shows: "packages that match both words" },
    { command: "hugo search", shows: "everything with one of the keywords" },
  ],
  mutates: false,
  async run(context, input) {
    const { lock } = await readSnapshot(placeFor(context, input));
    const installed = new Map([...lock.workflows].map(([name, workflow]) => [workflow.package, name]));
    const { hits, isCut } = await searchRegistry(input.words, context);
    const packages = hits.map((found): FoundPackage => {
      const installedAs = installed.get(found.name);
      return { ...found, ...(installedAs !== undefined && { installedAs }) };
    });
    return { words: input.words, packages, isCut };
  },
  report: {
    text: ({ packages, words }, page) => {
      if (packages.length > 0)
        return formatTable(
          columns,
          packages.map(({ name, version, published, installedAs, description }) => {
            const installed: Cell = installedAs === undefined ? "" : { text: installedAs, colour: "green" };
            return [name, versionLabel(version), published?.toISOString().slice(0, 10) ?? "", installed, description];
          }),
          page,
        );
      const about = words.length === 0 ? "" : safe` that matches "${words.join(" ")}"`;
      const none = `The registry lists no package with the keyword ${KEYWORDS.join(" or ")}${about}.`;
      return paragraph(none, page, { indent: "  " });
    },
    notes: ({ packages, isCut }, page) =>
      [
        ...(isCut ? ["The registry has more matches than it returned; more words narrow the search."] : []),
        packages.length === 0 ? unlisted : next,
      ]
        .map((line) => paragraph(line, page, { indent: "" }))
        .join(""),
    json: (result) => result,
    exitCode: () => 0,
  },
};

const unlisted =
  "Packages without these keywords and repositories are not found by a search: `hugo info <package or address>` shows whether Hugo can install one.";

const next = "`hugo info <package>` shows what a package contains before you install it.";

const columns: readonly Column[] = [
  { title: "Package" },
  { title: "Version" },
  { title: "Published" },
  { title: "Installed" },
  { title: "Description", least: 10 },
];

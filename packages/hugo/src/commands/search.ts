import { safe } from "@atomic/terminal/safe-text";
import { type Cell, type Column, formatTable } from "@atomic/terminal/table";
import { paragraph } from "@atomic/terminal/wrap";
import { versionLabel } from "../packages/labels.ts";
import type { SearchHit } from "../sources/fetched.ts";
import { searchRegistry } from "../sources/search-registry.ts";
import { placeFor } from "../workspace/place.ts";
import { readSnapshot } from "../workspace/snapshot.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";

interface SearchResult {
  readonly words: readonly string[];
  readonly packages: readonly FoundPackage[];
}

interface FoundPackage extends SearchHit {
  /** The workflow's name, if the package is installed here. */
  readonly installedAs?: string;
}

const words = { words: { count: "many", summary: "What to search for (default: list every workflow)" } } as const;

export const search: HugoCommand<typeof words, Record<never, never>, SearchResult> = {
  name: "search",
  summary: "Search the registry for workflows",
  details: "Finds packages with the keyword opencode-workflow.",
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
      const about = words.length === 0 ? "" : safe` matching "${words.join(" ")}"`;
      return paragraph(`The registry has no workflows${about}.`, page, { indent: "  " });
    },
    notes: ({ packages }, page) => paragraph(packages.length === 0 ? unlisted : next, page, { indent: "" }),
    json: ({ words, packages }) => ({ words, packages }),
    exitCode: () => 0,
  },
};

const unlisted = "Search finds only packages with the keyword opencode-workflow; you can install others by name.";

const next = "`hugo info <package>` shows what a package contains before you install it.";

const columns: readonly Column[] = [
  { title: "Package" },
  { title: "Version" },
  { title: "Published" },
  { title: "Installed" },
  { title: "Description", least: 10 },
];

import { type Page, withRunner } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { shellWord } from "@atomic/terminal/shell-words";
import { displayWidth, padEnd, truncate } from "@atomic/terminal/width";
import { type CollectionPart, partsOf } from "../../packages/collection.ts";
import { contentAmounts } from "../../packages/labels.ts";
import type { ContentPlugin } from "../../packages/manifest/content.ts";
import type { ResolvedPackage } from "../../packages/resolved-package.ts";

/** What a collection contains, for the report and for scripts. */
export interface CollectionOffers {
  /** `91 plugins, 202 agents, 1 plugin in another repository`. */
  readonly amounts: string;
  readonly plugins: readonly ContentPlugin[];
  readonly parts: readonly CollectionPart[];
}

export function offersOf({ manifest, tree }: Pick<ResolvedPackage, "manifest" | "tree">): CollectionOffers {
  return { amounts: contentAmounts(manifest), plugins: manifest.plugins ?? [], parts: partsOf(manifest, tree) };
}

/** One line for each part, under the name by which it can be chosen. What belongs to a plugin is not listed again. */
export function formatOffers({ plugins, parts }: CollectionOffers, page: Page): string {
  const isPlugins = plugins.length > 0;
  const single = (kind: CollectionPart["kind"]): (readonly [string, string])[] =>
    parts.filter((part) => part.kind === kind && !part.isInPlugin).map(({ name, description }) => [name, description]);
  const among = isPlugins ? " in no plugin" : "";
  const groups: readonly (readonly [title: string, rows: readonly (readonly [string, string])[]])[] = [
    [
      "Plugins",
      parts
        .filter(({ kind }) => kind === "plugin")
        .map(({ name, contents = "", description }) => [name, [contents, description].filter(Boolean).join(": ")]),
    ],
    [`Agents${among}`, single("agent")],
    [`Commands${among}`, single("command")],
    [`Skills${among}`, single("skill")],
    [
      OTHER,
      plugins.flatMap(({ name, elsewhere }) =>
        elsewhere === undefined ? [] : [[name, withRunner(`hugo install ${shellWord(elsewhere)}`, "hugo", page)]],
      ),
    ],
    [
      "Plugins that cannot be installed",
      plugins.flatMap(({ name, problem }) => (problem === undefined ? [] : [[name, problem]])),
    ],
  ];
  const paint = painter(page.colour);
  return groups
    .filter(([, rows]) => rows.length > 0)
    .map(([title, rows]) => {
      const widths = rows.map(([name]) => displayWidth(safeLine(name)));
      const width = Math.max(0, ...widths.filter((each) => each <= WIDEST_NAME));
      const lines = rows.map(([name, text], index) => {
        const room = Math.max(20, (page.columns ?? WIDEST) - Math.max(width, widths[index] ?? 0) - 4);
        // A command is of use only as a whole.
        const shown = title === OTHER ? safeLine(text) : truncate(safeLine(text), room);
        return `  ${padEnd(truncate(safeLine(name), LONGEST_NAME), width)}  ${paint("dim", shown)}`.trimEnd();
      });
      return `${paint("bold", `${title} (${rows.length})`)}\n${lines.join("\n")}\n`;
    })
    .join("");
}

const OTHER = "Plugins in other repositories";

/** A longer name shifts only its own text, not all others. */
const WIDEST_NAME = 40;
/** Hardly a name any more. */
const LONGEST_NAME = 100;

/** Without a terminal. */
const WIDEST = 120;

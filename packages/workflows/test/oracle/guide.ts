import type { ToolName } from "../../src/entities/entity.ts";
import { tools } from "../../src/entities/tools/all.ts";
import { type ToolPlace, toolPlaces } from "../../src/entities/tools/places.ts";
import { knownDifferences } from "./known-differences.ts";

// The parts of docs/guide/who-reads-what.md that repeat what the code knows.

/** Which folder is read by whom, and as what. */
export function whoReadsWhat(): string {
  const folders = [...new Set(allPlaces().filter(isFolder).map(folderOf))].sort(byRoot);
  const rows = folders.map((folder) => {
    const cells = tools.map(({ name }) => toolPlaces[name].find((place) => folderOf(place) === folder)?.as ?? "–");
    return `| \`${folder}\` | ${cells.join(" | ")} |`;
  });
  const titles = tools.map(({ title }) => title).join(" | ");
  return [`| folder | ${titles} |`, `|---|${tools.map(() => "---|").join("")}`, ...rows].join("\n");
}

/** Which file of one name wins, the best first. */
export function whoWins(): string {
  return tools
    .flatMap(({ name, title }) =>
      contestsOf(name).map((contest) => {
        const places = toolPlaces[name].filter((place) => place.contest === contest);
        const what = [...new Set(places.map(({ as }) => `${as}s`))].join(" and ");
        return `- ${title}, ${what}: ${[...new Set(places.map(orderedOf))].join(" > ")}`;
      }),
    )
    .join("\n");
}

export function differences(): string {
  const reasons = new Set(knownDifferences.map(({ because }) => because));
  return [...reasons].map((because) => `- ${because}`).join("\n");
}

function allPlaces(): ToolPlace[] {
  return tools.flatMap(({ name }) => toolPlaces[name]);
}

function contestsOf(tool: ToolName): string[] {
  return [...new Set(toolPlaces[tool].map(({ contest }) => contest))];
}

function isFolder({ path }: ToolPlace): boolean {
  return !path.includes("#");
}

/** OpenCode's folders have two spellings each, which count the same. */
function folderOf({ location, path }: ToolPlace): string {
  const folder = path.replace(/((?:opencode|OPENCODE_CONFIG_DIR)\/(?:agent|command|mode|skill))s?$/, "$1(s)");
  if (path.startsWith("OPENCODE_CONFIG")) return folder;
  return location === "user" ? `~/${folder}` : folder;
}

function orderedOf(place: ToolPlace): string {
  if (place.path.endsWith("#mode")) return "`mode` in a config file";
  return `\`${folderOf(place)
    .replace(/#.*/, "")
    .replace(/opencode\.jsonc?$/, "opencode.json(c)")}\``;
}

function byRoot(a: string, b: string): number {
  const key = (folder: string): string => `${folder.startsWith(".") ? 0 : 1}${folder.replace(/^~/, "")}`;
  return key(a) < key(b) ? -1 : 1;
}

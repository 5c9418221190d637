// What matters in the tool that a package was written for, but does not arrive in OpenCode.
import { filesToCopy } from "../delivery/translate/package-translation.ts";
import { readJsonFile } from "../packages/json-part.ts";
import { readOpencodePlugin } from "../packages/manifest/opencode-plugin.ts";
import { manifestFile } from "../packages/manifest/plugins.ts";
import type { ResolvedPackage } from "../packages/resolved-package.ts";
import { pathsBelow, textOf } from "../packages/tree.ts";

/** More names than this are counted. */
const MOST_NAMES = 3;
const MOST_BROKEN = 5;

const PLUGIN_FILE = /^\.opencode\/plugins?\/[^/]+\.[cm]?[jt]s$/;
const PLUGIN = "It is an OpenCode plugin: OpenCode loads it only if you add it to opencode.json yourself.";

/** Keys of a plugin's manifest and files next to it, each with what it means that they are not installed. */
const PARTS: readonly { readonly key: string; readonly file: RegExp; readonly meaning: string }[] = [
  {
    key: "hooks",
    file: /^hooks\/(?:[^/]+\/)?[^/]+\.json$/,
    meaning: "OpenCode does not run Claude Code hooks.",
  },
  {
    key: "mcpServers",
    file: /^\.mcp\.json$/,
    meaning: "To use its MCP servers, add them to opencode.json yourself.",
  },
  {
    key: "lspServers",
    file: /^\.lsp\.json$/,
    meaning: "To use its language servers, add them to opencode.json yourself.",
  },
  { key: "outputStyles", file: /^output-styles\/.+\.md$/, meaning: "OpenCode has no output styles." },
  { key: "", file: PLUGIN_FILE, meaning: PLUGIN },
  {
    key: "",
    file: /^instructions\/.+\.instructions\.md$/,
    meaning: "OpenCode reads instructions from AGENTS.md, and from files that opencode.json lists.",
  },
];

/**
 * One line for each thing that users may miss or look for under another name.
 *
 * @param selection What was chosen of the package; undefined for everything.
 */
export function leftBehind(
  { tree, manifest }: Pick<ResolvedPackage, "tree" | "manifest">,
  selection: readonly string[] | undefined,
): string[] {
  if (manifest.delivery.kind === "plugin") return [];
  const folders = new Set(manifest.plugins?.flatMap(({ folder }) => folder ?? []) ?? [""]);
  if (selection === undefined) folders.add("");
  const notices = [...folders].flatMap((folder) => {
    const paths = pathsBelow(tree, folder).map((path) => (folder === "" ? path : path.slice(folder.length + 1)));
    const file = manifestFile(tree, folder);
    const root = file === undefined ? undefined : readJsonFile(tree, file, "Only the plugin's author can fix it.");
    const at = (path: string): string => (folder === "" ? path : `${folder}/${path}`);
    return PARTS.flatMap(({ key, file: pattern, meaning }) => {
      const files = paths.filter((path) => pattern.test(path)).map(at);
      const isListed = key !== "" && root?.node?.kind === "object" && !root.get(key).isMissing;
      const names = [...files, ...(isListed && files.length === 0 ? [`"${key}" in ${file}`] : [])];
      return names.length === 0 ? [] : [`Not installed: ${listed(names)}. ${meaning}`];
    });
  });
  const plugin = selection === undefined ? readOpencodePlugin(tree) : undefined;
  if (plugin?.entry !== undefined && plugin.hasHooks && !PLUGIN_FILE.test(plugin.entry)) {
    notices.push(`Not installed: ${plugin.entry}. ${PLUGIN}`);
  }
  // One without anything to install has a folder.
  const broken = (manifest.plugins ?? []).flatMap(({ name, problem, folder }) =>
    selection === undefined && problem !== undefined && folder === undefined ? [`the plugin ${name}. ${problem}`] : [],
  );
  const renamed = [...manifest.agents, ...manifest.commands, ...manifest.skills].flatMap(({ name, was }) =>
    was === undefined ? [] : [`${was} is ${name}`],
  );
  const names = renamed.length === 0 ? [] : [`Named differently in OpenCode: ${listed(renamed)}.`];
  const some = broken.slice(0, MOST_BROKEN).map((each) => `Not installed: ${each}`);
  if (broken.length > MOST_BROKEN) some.push(`Not installed: ${broken.length - MOST_BROKEN} more such plugins.`);
  return [...names, ...some, ...new Set(notices), ...lostScripts({ tree, manifest })];
}

const PLUGIN_ROOT = /\$\{?CLAUDE_PLUGIN_ROOT\}?\/([\w./-]*\w)/g;

/** Files that delivered texts reach through a variable that OpenCode does not set. */
function lostScripts({ tree, manifest }: Pick<ResolvedPackage, "tree" | "manifest">): string[] {
  const users = new Map<string, string>();
  for (const { source } of filesToCopy(manifest, tree).values()) {
    for (const [, script = ""] of (textOf(tree, source) ?? "").matchAll(PLUGIN_ROOT)) users.set(script, source);
  }
  if (users.size === 0) return [];
  const [[, user] = ["", ""]] = users;
  return [
    `Not installed: ${listed([...users.keys()])}, which ${user}${users.size > 1 ? " and others expect" : " expects"} in Claude Code's plugin folder. OpenCode does not set CLAUDE_PLUGIN_ROOT.`,
  ];
}

function listed(names: readonly string[]): string {
  if (names.length <= MOST_NAMES) return names.join(", ");
  return `${names.slice(0, MOST_NAMES).join(", ")} and ${names.length - MOST_NAMES} more`;
}

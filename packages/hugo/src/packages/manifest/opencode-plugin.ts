// Whether a package is an OpenCode plugin, from its package.json and the text of its entry. Nothing of it runs.
import { HugoError } from "../../errors.ts";
import { readJsonFile } from "../json-part.ts";
import { type PackageTree, textOf } from "../tree.ts";
import { type PluginEntries, readEntries } from "./package-json.ts";

/** A package that OpenCode can load, whatever else it contains. */
export interface OpencodePlugin extends PluginEntries {
  /** Its author says so, in a place that nothing but an OpenCode plugin needs. */
  readonly isDeclared: boolean;
  /** What suggests it, as the end of a sentence: `its name contains "opencode"`. */
  readonly because: string;
  /** Its code has functions that nothing but OpenCode would call. */
  readonly hasHooks: boolean;
  /** Why OpenCode would not find its code. */
  readonly problem?: HugoError;
}

const PLUGIN_PACKAGE = "@opencode-ai/plugin";
const DEPENDENCIES = ["dependencies", "peerDependencies", "devDependencies", "optionalDependencies"];
/** No other program calls functions by these names. */
const HOOKS =
  /["'`](?:tool\.execute\.(?:before|after)|chat\.(?:message|params|headers)|experimental\.(?:chat|session)\.)/;

/** Undefined for a plain library: every library has a `main`, and many have a "./server". */
export function readOpencodePlugin(tree: PackageTree): OpencodePlugin | undefined {
  const root = readJsonFile(tree, "package.json", "Only the package's author can fix it.");
  if (root === undefined) return undefined;
  let entries: PluginEntries = {};
  let problem: HugoError | undefined;
  try {
    entries = readEntries(tree);
  } catch (error) {
    if (!(error instanceof HugoError)) throw error;
    problem = error;
  }
  const { entry, tui } = entries;
  if (entry === undefined && tui === undefined && problem === undefined) return undefined;
  const code = entry === undefined ? "" : (textOf(tree, entry) ?? "");
  const name = root.get("name").value();
  const listed = root.get("keywords").value();
  const keywords: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const has = (key: string, name: string): boolean =>
    root.get(key).node?.kind === "object" && !root.get(key).get(name).isMissing;
  const dependencies = DEPENDENCIES.find((key) => has(key, PLUGIN_PACKAGE));
  const declared: readonly (readonly [boolean, string])[] = [
    [dependencies !== undefined, `its ${dependencies} include ${PLUGIN_PACKAGE}`],
    [keywords.includes("opencode-plugin"), 'it has the keyword "opencode-plugin"'],
    [has("engines", "opencode"), "it states which OpenCode versions it needs"],
    [!root.get("oc-themes").isMissing, "it has themes for OpenCode"],
    [code.includes(PLUGIN_PACKAGE), `${entry} uses ${PLUGIN_PACKAGE}`],
  ];
  const likely: readonly (readonly [boolean, string])[] = [
    [keywords.includes("opencode"), 'it has the keyword "opencode"'],
    [typeof name === "string" && name.includes("opencode"), 'its name contains "opencode"'],
    [/^\.opencode\/plugins?\//.test(entry ?? ""), `its main file is ${entry}`],
    [HOOKS.test(code), `${entry} has functions with the names of OpenCode hooks`],
  ];
  const sign = [...declared, ...likely].find(([isFound]) => isFound);
  if (sign === undefined) return undefined;
  const about = { ...entries, isDeclared: declared.includes(sign), because: sign[1], hasHooks: HOOKS.test(code) };
  return problem === undefined ? about : { ...about, problem };
}

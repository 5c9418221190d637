// Where OpenCode reads which plugins draw in its terminal, and what changes there. Decides on texts; touches nothing.
import { dirname, isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Edit, editJsonc } from "@atomic/durable-files/jsonc/edit";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { toValue } from "@atomic/durable-files/jsonc/value";

export interface TuiConfig {
  readonly file: string;
  /** Undefined if there is no such file. */
  readonly text: string | undefined;
}

const schema: Edit = { op: "set", path: ["$schema"], value: "https://opencode.ai/tui.json" };

/** The entries of `plugin`, each as the package or path that it names. */
function pluginsIn({ file, text }: TuiConfig): readonly Omit<TuiPluginEntry, "at">[] {
  if (text === undefined) return [];
  const { root } = parseJsonc(text, { file });
  const { plugin } = ((root && toValue(root)) ?? {}) as { readonly plugin?: unknown };
  const entries: readonly unknown[] = Array.isArray(plugin) ? plugin : [];
  return entries.map((entry) => {
    const spec: unknown = Array.isArray(entry) ? entry[0] : entry;
    // OpenCode refuses all else, and says so.
    return { spec: typeof spec === "string" ? spec : "", isTuple: Array.isArray(entry) };
  });
}

/** An entry for this package, however it was installed: its name, a version of it, an alias, its folder, or a file in that. */
export function isOurs(spec: string): boolean {
  return /(?:^|npm:|[\\/])@atomic[\\/]cli(?:@[^\\/]*)?(?:[\\/]|$)/.test(spec);
}

/** Where an entry leads that is a path; undefined if it is a package's name. */
export function pathOf(spec: string, config: string): string | undefined {
  if (spec.startsWith("file://")) {
    try {
      return fileURLToPath(spec);
    } catch (error) {
      // It is not the address of a file, and OpenCode says so.
      if (error instanceof TypeError || error instanceof URIError) return undefined;
      throw error;
    }
  }
  return isAbsolute(spec) || /^\.{1,2}(?:[\\/]|$)/.test(spec) ? resolve(dirname(config), spec) : undefined;
}

/** An entry for this package in one of the files. */
export interface TuiPluginEntry {
  readonly spec: string;
  readonly at: number;
  /** With options behind it. */
  readonly isTuple: boolean;
}

/** @param isThis Whether a spec names this package. */
export function entryIn(config: TuiConfig, isThis: (spec: string) => boolean): TuiPluginEntry | undefined {
  const entries = pluginsIn(config);
  const at = entries.findIndex(({ spec }) => isThis(spec));
  const found = entries[at];
  return found && { ...found, at };
}

/** Hugo lists packages from its own folder, and takes them out again itself. */
export function isOfHugo(spec: string): boolean {
  return /[\\/]\.hugo[\\/]store[\\/]/.test(spec);
}

export function withPlugin({ file, text }: TuiConfig, spec: string): string {
  const insert: Edit = { op: "insert", path: ["plugin"], value: spec };
  if (text === undefined) return editJsonc("", [schema, insert], { file, empty: "absent" });
  return editJsonc(text, [insert], { file, empty: "refuse" });
}

/** The same entry for another version or folder; options stay. */
export function withSpec({ file, text = "" }: TuiConfig, { at, isTuple }: TuiPluginEntry, spec: string): string {
  const path = isTuple ? ["plugin", at, 0] : ["plugin", at];
  return editJsonc(text, [{ op: "set", path, value: spec }], { file, empty: "refuse" });
}

/** The text without the entry. `absent`: nothing but what we wrote would be left, so the file goes. */
export function withoutPlugin(config: TuiConfig, { at }: TuiPluginEntry): { readonly text: string } | "absent" {
  const { file, text = "" } = config;
  const path = pluginsIn(config).length === 1 ? ["plugin"] : ["plugin", at];
  const left = editJsonc(text, [{ op: "remove", path }], { file, empty: "refuse" });
  return left === editJsonc("", [schema], { file, empty: "absent" }) ? "absent" : { text: left };
}

// Where OpenCode reads which plugins draw in its terminal, and what changes there. Decides on texts; touches nothing.
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
function pluginsIn({ file, text }: TuiConfig): readonly Omit<PluginEntry, "at">[] {
  if (text === undefined) return [];
  const { root } = parseJsonc(text, { file });
  const { plugin } = (root === undefined ? {} : toValue(root)) as { readonly plugin?: unknown };
  const entries: readonly unknown[] = Array.isArray(plugin) ? plugin : [];
  return entries.map((entry) => ({
    spec: String(Array.isArray(entry) ? entry[0] : entry),
    isTuple: Array.isArray(entry),
  }));
}

/** An entry for this package, however it was installed: its name, a version of it, or a folder. */
export function isOurs(spec: string): boolean {
  return /(?:^|[\\/])@atomic[\\/]cli(?:@[^\\/]*)?[\\/]?$/.test(spec);
}

/** An entry for this package in one of the files. */
export interface PluginEntry {
  readonly spec: string;
  readonly at: number;
  /** With options behind it. */
  readonly isTuple: boolean;
}

/** @param isThis Whether a spec names this package. */
export function entryIn(config: TuiConfig, isThis: (spec: string) => boolean): PluginEntry | undefined {
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
export function withSpec({ file, text = "" }: TuiConfig, { at, isTuple }: PluginEntry, spec: string): string {
  const path = isTuple ? ["plugin", at, 0] : ["plugin", at];
  return editJsonc(text, [{ op: "set", path, value: spec }], { file, empty: "refuse" });
}

/** The text without the entry. `absent`: nothing but what we wrote would be left, so the file goes. */
export function withoutPlugin(config: TuiConfig, { at }: PluginEntry): { readonly text: string } | "absent" {
  const { file, text = "" } = config;
  const path = pluginsIn(config).length === 1 ? ["plugin"] : ["plugin", at];
  const left = editJsonc(text, [{ op: "remove", path }], { file, empty: "refuse" });
  return left === editJsonc("", [schema], { file, empty: "absent" }) ? "absent" : { text: left };
}

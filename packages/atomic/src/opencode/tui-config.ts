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
function pluginsIn({ file, text }: TuiConfig): readonly string[] {
  if (text === undefined) return [];
  const { root } = parseJsonc(text, { file });
  const { plugin } = (root === undefined ? {} : toValue(root)) as { readonly plugin?: unknown };
  const entries: readonly unknown[] = Array.isArray(plugin) ? plugin : [];
  return entries.map((entry) => String(Array.isArray(entry) ? entry[0] : entry));
}

/** An entry for this package, however it was installed: its name, a version of it, or a folder. */
export function isOurs(spec: string): boolean {
  return /(?:^|[\\/])@atomic[\\/]cli(?:@[^\\/]*)?[\\/]?$/.test(spec);
}

/** Undefined if it is there already. */
export function withPlugin(config: TuiConfig, spec: string, isThis: (entry: string) => boolean): string | undefined {
  const entries = pluginsIn(config);
  if (entries.includes(spec)) return undefined;
  const { file, text } = config;
  const at = entries.findIndex(isThis);
  const insert: Edit = { op: "insert", path: ["plugin"], value: spec };
  if (text === undefined) return editJsonc("", [schema, insert], { file, empty: "absent" });
  const replace: readonly Edit[] = [
    { op: "remove", path: ["plugin", at] },
    { ...insert, index: at },
  ];
  return editJsonc(text, at < 0 ? [insert] : replace, { file, empty: "refuse" });
}

/** The text without it. `absent`: nothing but what we wrote would be left, so the file goes. Undefined: it is not there. */
export function withoutPlugin(
  config: TuiConfig,
  isThis: (entry: string) => boolean,
): { readonly text: string } | "absent" | undefined {
  const { file, text } = config;
  const entries = pluginsIn(config);
  const at = entries.findIndex(isThis);
  if (text === undefined || at < 0) return undefined;
  const path = entries.length === 1 ? ["plugin"] : ["plugin", at];
  const left = editJsonc(text, [{ op: "remove", path }], { file, empty: "refuse" });
  return left === editJsonc("", [schema], { file, empty: "absent" }) ? "absent" : { text: left };
}

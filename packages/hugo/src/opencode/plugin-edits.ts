// What Hugo changes in the plugin array, as text edits. Nothing here touches a file.

import { dirname, relative, sep } from "node:path";
import { type Edit, editJsonc } from "@atomic/durable-files/jsonc/edit";
import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import { shown } from "@atomic/durable-files/safety/names";
import type { MadeByHugo, RememberedPlugin } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { partOf } from "./config-files.ts";
import { type ConfigDocument, type PluginEntry, refuseToFillIn } from "./read-config.ts";

function schemaFor(file: string): Edit {
  const name = partOf(file) === "tui" ? "tui" : "config";
  return { op: "set", path: ["$schema"], value: `https://opencode.ai/${name}.json` };
}

export interface ConfigEdit {
  readonly edits: readonly Edit[];
  /** What the edits create besides the entry. */
  readonly makes?: MadeByHugo;
}

export type Removal =
  | { readonly kind: "edit"; readonly edits: readonly Edit[]; readonly removesMade: boolean }
  /** Hugo created the file, and nothing was added to it. */
  | { readonly kind: "delete-file" };

/** Adds an entry, at its old position if it has one; if other entries are gone, it moves forward. */
export function addPlugin(
  config: ConfigDocument,
  { spec, options, index }: { readonly spec: string; readonly options?: JsonValue; readonly index?: number },
): ConfigEdit {
  refuseSubstitution(config.file, spec);
  // What a lock records is untrusted, and could expose a variable or a file to its reader.
  const [found] = /\{(?:env|file):[^}]{0,100}\}?/i.exec(JSON.stringify(options) ?? "") ?? [];
  if (found !== undefined) {
    throw new HugoError("config-unsafe", {
      message: `${config.file}: the options for ${shown(spec)} contain ${shown(found)}, which OpenCode would replace`,
      at: config.file,
      hint: `If you wrote that yourself, restore the entry by hand; hugo.json has a copy. Nothing was changed.`,
    });
  }
  const value: JsonValue = options === undefined ? spec : [spec, options];
  const at = index === undefined ? undefined : Math.min(index, config.plugins.length);
  const insert: Edit = { op: "insert", path: ["plugin"], value, ...(at !== undefined && { index: at }) };
  // OpenCode adds a missing $schema itself, which would change a file that was just written.
  if (!config.exists) return { edits: [schemaFor(config.file), insert], makes: "file" };
  return config.hasPlugins ? { edits: [insert] } : { edits: [insert], makes: "array" };
}

/** Replaces an entry's version; its options stay. */
export function movePin(entry: PluginEntry, spec: string): readonly Edit[] {
  refuseSubstitution(entry.file, spec);
  return [{ op: "set", path: entry.isTuple ? ["plugin", entry.index, 0] : ["plugin", entry.index], value: spec }];
}

/** Takes entries out, and with the last one also the array or the file if Hugo made them. */
export function removePlugins(
  config: ConfigDocument,
  entries: readonly PluginEntry[],
  made: MadeByHugo | undefined,
): Removal {
  const indexes = [...new Set(entries.map(({ index }) => index))].sort((a, b) => b - a);
  const isLast = indexes.length === config.plugins.length;
  if (!isLast || made === undefined) {
    const edits = indexes.map((index): Edit => ({ op: "remove", path: ["plugin", index] }));
    return { kind: "edit", edits, removesMade: false };
  }
  const edits: readonly Edit[] = [{ op: "remove", path: ["plugin"] }];
  // A file that Hugo made, once the plugins are gone.
  const isUntouched =
    made === "file" && editConfig(config, edits) === editJsonc("", [schemaFor(config.file)], { empty: "absent" });
  return isUntouched ? { kind: "delete-file" } : { kind: "edit", edits, removesMade: true };
}

/** The new text. An existing file without any value is refused: something must have emptied it. */
export function editConfig({ file, text, exists }: ConfigDocument, edits: readonly Edit[]): string {
  refuseToFillIn(file, text);
  return editJsonc(text, edits, { file, empty: exists ? "refuse" : "absent" });
}

export function remember({ file, index, spec, options }: PluginEntry): RememberedPlugin {
  return { file, index, spec, ...(options !== undefined && { options }) };
}

/** OpenCode replaces these anywhere in the text of a config file. */
function refuseSubstitution(file: string, spec: string): void {
  if (!/\{(?:env|file):/i.test(spec)) return;
  throw new HugoError("config-unsafe", {
    message: `${file}: ${shown(spec)} cannot be written because OpenCode would replace part of it`,
    at: file,
    hint: "Rename the folder so its path does not contain {env:…} or {file:…}.",
  });
}

/** How a package in the store is written in a config file: OpenCode reads paths relative to that file. */
export function specIn(file: string, folder: string): string {
  const way = relative(dirname(file), folder).split(sep).join("/");
  return way.startsWith("../") ? way : `./${way}`;
}

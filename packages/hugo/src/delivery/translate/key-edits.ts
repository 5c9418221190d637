import { type Frontmatter, parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { splitFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/split";
import { normalizeModel } from "@atomic/workflows/internal/entities/normalize/model";
import { isMap } from "./claude-format.ts";
import { type MarkdownFile, placeIn, type Remark, type Translation } from "./markdown-file.ts";

/** The new lines and value of a key. */
interface KeyEdit {
  /** The key that replaces this one; may be the same. */
  readonly key: string;
  readonly lines: readonly string[];
  readonly value: unknown;
}

export const AUTHOR = "Only the package's author can change that; the rest of the package can be installed.";

/** Hooks that run after the fact, so they cannot forbid anything. */
const AFTERWARDS = new Set(["PostToolUse", "PostToolUseFailure", "Notification", "SessionEnd", "SubagentStop", "Stop"]);

/** Collects the changes to one file's frontmatter, and the notes about them. */
export class KeyEdits {
  readonly values: Frontmatter["values"];
  readonly #file: MarkdownFile;
  readonly #matter: Frontmatter;
  /** By the key that is there now; undefined removes it. */
  readonly #replaced = new Map<string, KeyEdit | undefined>();
  readonly #added: KeyEdit[] = [];
  readonly #notes: Remark[] = [];
  #model: readonly [from: string, to: string] | undefined;

  constructor(file: MarkdownFile, matter: Frontmatter) {
    this.#file = file;
    this.#matter = matter;
    this.values = matter.values;
  }

  remove(key: string): void {
    this.#replaced.set(key, undefined);
  }

  replace(key: string, edit: KeyEdit): void {
    this.#replaced.set(key, edit);
    if (edit.key !== key) this.note(key, `"${key}" becomes "${edit.key}"`);
  }

  add(edit: KeyEdit): void {
    this.#added.push(edit);
  }

  /** `key: value` for a text that needs at most quotes. */
  static text(key: string, value: string): KeyEdit {
    const isPlain = /^[a-z][a-z/-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/.test(value);
    return { key, lines: [`${key}: ${isPlain ? value : JSON.stringify(value)}`], value };
  }

  /** @param at A place other than the key's. */
  note(key: string, message: string, at?: string): void {
    const note = this.remark(key, message, "");
    this.#notes.push(at === undefined ? note : { ...note, at });
  }

  remark(key: string, message: string, hint: string): Remark {
    return { at: placeIn(this.#file, this.#matter.positionOf([key])), message, hint };
  }

  /** Hugo shows, compares and asks for the file's name, so a file must not call itself anything else. */
  translateName(): void {
    const { name: given } = this.values;
    const { name, ownName } = this.#file;
    if (given === undefined || given === name) return;
    this.remove("name");
    if (given === ownName) return;
    this.note("name", `Its "name" is ${JSON.stringify(given)}, but OpenCode uses the file name, "${name}"`);
  }

  /** OpenCode needs `provider/model`, and only the user knows the provider. */
  translateModel(models: ReadonlyMap<string, string> | undefined): void {
    const { model } = this.values;
    if (model === undefined || (typeof model === "string" && /^[^\s/]+\/\S+$/.test(model))) return;
    const { model: family, modelId } = normalizeModel(model);
    const key = [modelId, family].find((each) => each !== undefined && models?.has(each));
    const mapped = key === undefined ? undefined : models?.get(key);
    if (key !== undefined && mapped !== undefined) {
      this.replace("model", KeyEdits.text("model", mapped));
      this.#model = [key, mapped];
      return;
    }
    this.remove("model");
    // OpenCode inherits the model anyway.
    if (family === "inherit" && modelId === undefined) return;
    this.note("model", `The model ${JSON.stringify(modelId ?? model)} is left out: OpenCode uses the session's model`);
  }

  /** Hooks can forbid what the tool lists allow, and OpenCode runs none of them; harmless hooks are dropped. */
  lostHooks(): Remark | undefined {
    const { hooks } = this.values;
    if (hooks === undefined || hooks === null) return undefined;
    const names = isMap(hooks) ? Object.keys(hooks) : ["hooks"];
    const forbidding = names.find((name) => !AFTERWARDS.has(name));
    if (forbidding !== undefined) {
      const message = `Its hook ${JSON.stringify(forbidding)} may block some actions, but OpenCode does not run it`;
      return this.remark("hooks", message, AUTHOR);
    }
    this.remove("hooks");
    this.note("hooks", "OpenCode does not run its hooks");
    return undefined;
  }

  /** The file with all edits, and with another body if one is given. */
  apply(body?: string): Translation {
    const { text } = this.#file;
    const edited = this.#edited(body === undefined ? text : text.slice(0, this.#matter.bodyStart) + body);
    if (edited !== undefined) {
      const model = this.#model;
      return { kind: "translated", text: edited, notes: this.#notes, ...(model !== undefined && { model }) };
    }
    const message = "Its frontmatter cannot be translated because it does not put each key on its own line";
    return { kind: "stopped", reason: { at: placeIn(this.#file), message, hint: AUTHOR } };
  }

  /**
   * Replaces whole lines of the frontmatter and leaves every other byte alone, so versions can still be merged.
   * Undefined if the result would not say exactly what is wanted, because lines belong together in some other way.
   */
  #edited(text: string): string | undefined {
    const { values, recoveredKeys } = this.#matter;
    // A value that Claude Code reads as text although it is not valid YAML must be written as text.
    const quoted = recoveredKeys.map((key): [string, KeyEdit] => {
      const value = String(values[key]);
      return [key, { key, lines: [`${key}: '${value.replaceAll("'", "''")}'`], value }];
    });
    const replaced = new Map([...quoted, ...this.#replaced]);
    if (replaced.size === 0 && this.#added.length === 0) return text;
    const split = splitFrontmatter(text);
    if (split.kind !== "present") return undefined;
    const lines = split.yaml.split("\n");
    if (lines.pop() !== "") return undefined;
    const owners = this.#ownersOf(lines);
    if (owners === undefined) return undefined;
    const ending = split.yaml.endsWith("\r\n") || /^\ufeff?---[^\S\r\n]*\r\n/.test(text) ? "\r\n" : "\n";
    const print = (edit: KeyEdit | undefined): string => (edit?.lines ?? []).map((line) => line + ending).join("");
    const kept = lines.map((line, i) => {
      const key = owners[i];
      if (key === undefined || !replaced.has(key)) return `${line}\n`;
      return owners[i - 1] === key ? "" : print(replaced.get(key));
    });
    const yaml = kept.join("") + this.#added.map(print).join("");
    const edited = text.slice(0, split.yamlStart) + yaml + text.slice(split.yamlStart + split.yaml.length);
    const wanted = Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
      if (!replaced.has(key)) return [[key, value]];
      const edit = replaced.get(key);
      return edit === undefined ? [] : [[edit.key, edit.value]];
    });
    for (const { key, value } of this.#added) wanted.push([key, value]);
    const reread = parseFrontmatter(edited);
    const saysExactly = JSON.stringify(reread.values) === JSON.stringify(Object.fromEntries(wanted));
    return reread.complete && saysExactly ? edited : undefined;
  }

  /**
   * The key that each line belongs to; comments and blank lines in front of the next key belong to none. Undefined if
   * some key shares its line with another.
   */
  #ownersOf(lines: readonly string[]): (string | undefined)[] | undefined {
    const starts: [string, number][] = [];
    for (const key of Object.keys(this.values)) {
      const position = this.#matter.positionOf([key]);
      if (position?.column !== 1) return undefined;
      starts.push([key, position.line - 2]);
    }
    starts.sort(([, a], [, b]) => a - b);
    const owners: (string | undefined)[] = lines.map(() => undefined);
    for (const [i, [key, start]] of starts.entries()) {
      let end = starts[i + 1]?.[1] ?? lines.length;
      while (end > start + 1 && /^(?:#|\s*$)/.test(lines[end - 1] ?? "")) end -= 1;
      owners.fill(key, start, end);
    }
    return owners;
  }
}

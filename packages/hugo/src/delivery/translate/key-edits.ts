import type { Frontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { editFrontmatter, type KeyEdit } from "./edit-frontmatter.ts";
import { type MarkdownFile, placeIn, type Remark, type Translation } from "./markdown-file.ts";

/** Collects what changes in the frontmatter of one file, and what there is to say about it. */
export class KeyEdits {
  readonly #file: MarkdownFile;
  readonly #matter: Frontmatter;
  readonly #replaced = new Map<string, KeyEdit | undefined>();
  readonly #added: KeyEdit[] = [];
  readonly #notes: Remark[] = [];

  constructor(file: MarkdownFile, matter: Frontmatter) {
    this.#file = file;
    this.#matter = matter;
  }

  get values(): Frontmatter["values"] {
    return this.#matter.values;
  }

  remove(key: string): void {
    this.#replaced.set(key, undefined);
  }

  replace(key: string, edit: KeyEdit): void {
    this.#replaced.set(key, edit);
    if (edit.key !== key) this.note(key, `"${key}" is written as "${edit.key}"`);
  }

  add(edit: KeyEdit): void {
    this.#added.push(edit);
  }

  /** `name: value` of a text that needs no more than quotes. */
  static text(key: string, value: string): KeyEdit {
    const isPlain = /^[a-z][a-z/-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/.test(value);
    return { key, lines: [`${key}: ${isPlain ? value : JSON.stringify(value)}`], value };
  }

  note(key: string, message: string, hint = ""): void {
    this.#notes.push(this.remark(key, message, hint));
  }

  noteAt(at: string, message: string): void {
    this.#notes.push({ at, message, hint: "" });
  }

  remark(key: string, message: string, hint: string): Remark {
    return { at: placeIn(this.#file, this.#matter.positionOf([key])), message, hint };
  }

  stop(key: string, because: string, hint: string): Translation {
    return { kind: "stopped", reason: this.remark(key, because, hint) };
  }

  /** The file with all that; another body than its own if one is given. */
  apply(body?: string): Translation {
    const { text } = this.#file;
    const { bodyStart } = this.#matter;
    const whole = body === undefined ? text : text.slice(0, bodyStart) + body;
    const edited = editFrontmatter(whole, this.#matter, { replaced: this.#replaced, added: this.#added });
    if (edited !== undefined) return { kind: "translated", text: edited, notes: this.#notes };
    const because = "Its frontmatter is not written as one key a line, so that it cannot be translated";
    const reason = { at: placeIn(this.#file), message: because, hint: AUTHOR };
    return { kind: "stopped", reason };
  }
}

export const AUTHOR = "Only the author of the package can change that; the rest of it can be installed.";

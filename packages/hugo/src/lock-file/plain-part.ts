// Reads a hugo.json that is exactly as Hugo writes it, ten times as fast as the parser that keeps every position.
import type { JsonValue } from "@atomic/durable-files/jsonc/value";

/** A value of hugo.json, or the place where one is missing; `JsonPart` is the one that knows lines and columns. */
export interface Part {
  readonly isMissing: boolean;
  readonly at: string;
  get(key: string): Part;
  entries(): [key: string, value: Part][];
  items(): Part[];
  string(): string;
  optionalString(): string | undefined;
  integer(): number;
  oneOf<Word extends string>(words: readonly Word[]): Word;
  value(): JsonValue | undefined;
  refuse(problem: string, hint?: string): Error;
}

/** Something is not as it must be. The other parser says what and where. */
export class Unusual extends Error {}

export class PlainPart implements Part {
  readonly #value: JsonValue | undefined;

  constructor(value: JsonValue | undefined) {
    this.#value = value;
  }

  get isMissing(): boolean {
    return this.#value === undefined;
  }

  get at(): string {
    return "";
  }

  get(key: string): PlainPart {
    if (this.#value === undefined) return this;
    const object = this.#object();
    return new PlainPart(Object.hasOwn(object, key) ? object[key] : undefined);
  }

  entries(): [key: string, value: PlainPart][] {
    if (this.#value === undefined) return [];
    return Object.entries(this.#object()).map(([key, value]) => [key, new PlainPart(value)]);
  }

  items(): PlainPart[] {
    if (this.#value === undefined) return [];
    if (!Array.isArray(this.#value)) throw this.refuse();
    return this.#value.map((item: JsonValue) => new PlainPart(item));
  }

  string(): string {
    if (typeof this.#value !== "string") throw this.refuse();
    return this.#value;
  }

  optionalString(): string | undefined {
    return this.isMissing ? undefined : this.string();
  }

  integer(): number {
    if (typeof this.#value !== "number" || !Number.isSafeInteger(this.#value) || this.#value < 0) throw this.refuse();
    return this.#value;
  }

  oneOf<Word extends string>(words: readonly Word[]): Word {
    const word = words.find((candidate) => candidate === this.#value);
    if (word === undefined) throw this.refuse();
    return word;
  }

  /** Of the few objects without a shape of their own, keys such as `__proto__` need the care of the other parser. */
  value(): JsonValue | undefined {
    if (typeof this.#value === "object") throw this.refuse();
    return this.#value;
  }

  refuse(): Error {
    return new Unusual();
  }

  #object(): Readonly<Record<string, JsonValue>> {
    if (typeof this.#value !== "object" || this.#value === null || Array.isArray(this.#value)) throw this.refuse();
    return this.#value as Readonly<Record<string, JsonValue>>;
  }
}

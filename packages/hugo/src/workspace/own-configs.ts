import type { Lock, MadeByHugo } from "@atomic/workflows/internal/hugo-lock/lock";
import { configFiles } from "../opencode/config-files.ts";
import { type Place, portablePath } from "./place.ts";

/**
 * The config files that are a place's to change: a project leaves the user's own alone. The lock may come from anybody,
 * so it can name no others.
 */
export class OwnConfigs {
  readonly #place: Place;
  /** By how the lock calls them. */
  readonly #files: ReadonlyMap<string, string>;

  constructor(place: Place) {
    this.#place = place;
    const own = configFiles(place.configs).filter(({ scope }) => scope === place.scope);
    this.#files = new Map(own.map(({ path }) => [portablePath(place, path), path]));
  }

  has(file: string): boolean {
    return this.#files.get(portablePath(this.#place, file)) === file;
  }

  /** The file that the lock calls so. */
  named(recorded: string): string | undefined {
    return this.#files.get(recorded);
  }

  /** What Hugo made in which file. */
  made({ configs }: Lock): Map<string, MadeByHugo> {
    const made = new Map<string, MadeByHugo>();
    for (const [recorded, what] of configs) {
      const file = this.named(recorded);
      if (file !== undefined) made.set(file, what);
    }
    return made;
  }

  /** The same for the lock. */
  recorded(made: ReadonlyMap<string, MadeByHugo>): Map<string, MadeByHugo> {
    return new Map([...made].map(([file, what]) => [portablePath(this.#place, file), what]));
  }
}

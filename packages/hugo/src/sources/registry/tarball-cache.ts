// Tarballs that this user has downloaded before, by their checksum. Every use is checked: nothing here is trusted.
import * as fs from "node:fs";
import { join, resolve } from "node:path";
import type { Context } from "../../context.ts";

type World = Pick<Context, "home" | "env">;

/** Hugo's folder for what can be fetched again. */
export function cacheFolder({ home, env }: World): string {
  return join(env.XDG_CACHE_HOME ? resolve(env.XDG_CACHE_HOME) : join(home, ".cache"), "hugo", "tarballs");
}

/** Undefined for weaker checksums: they do not identify the bytes. */
export function cachedTarball(world: World, integrity: string): string | undefined {
  const [, digest] = /(?:^|\s)sha512-([A-Za-z0-9+/]{86}==)/.exec(integrity) ?? [];
  if (digest === undefined) return undefined;
  return join(cacheFolder(world), `${Buffer.from(digest, "base64").toString("hex")}.tgz`);
}

/** Passes a download on and keeps a copy of it, once `keep` says that it is what it should be. */
export class TarballCopy {
  readonly #path: string;
  readonly #unnamed: string;
  #file: number | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#unnamed = `${path}.${crypto.randomUUID()}`;
    this.#file = unlessRefused(() => {
      fs.mkdirSync(join(path, ".."), { recursive: true });
      return fs.openSync(this.#unnamed, "wx", 0o600);
    });
  }

  async *through(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      const file = this.#file;
      if (file !== undefined && unlessRefused(() => fs.writeSync(file, chunk) === chunk.length) !== true) this.end();
      yield chunk;
    }
  }

  keep(): void {
    if (this.#file === undefined) return;
    fs.closeSync(this.#file);
    this.#file = undefined;
    unlessRefused(() => fs.renameSync(this.#unnamed, this.#path));
  }

  /** Removes what was not kept. */
  end(): void {
    if (this.#file === undefined) return;
    fs.closeSync(this.#file);
    this.#file = undefined;
    fs.rmSync(this.#unnamed, { force: true });
  }
}

/** A cache on a full or read-only disk is no reason to fail. */
function unlessRefused<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch (error) {
    if (
      !["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")
    )
      throw error;
    return undefined;
  }
}

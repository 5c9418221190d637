import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findNameCollisions, isReservedOnWindows, shown } from "@atomic/durable-files/safety/names";
import { HugoError } from "../errors.ts";
import { SizeCounter, type SizeLimits, tooLarge } from "./limits.ts";

/** Bytes an archive may have per file besides its content: headers, names, padding. */
const BESIDES = 2048;
/** Files of version control and package managers are not part of the package. */
const NOT_CONTENT = /^(\.git|node_modules)\//;
const TAKE_OUT = "Nothing was installed. The package's author must remove or rename it.";

/**
 * Writes the files of an untrusted package into an empty folder. Links are never written, so no path can
 * lead out of the folder through one; what was left out is reported.
 */
export class PackageWriter {
  readonly #folder: string;
  readonly #what: string;
  readonly #counter: SizeCounter;
  readonly #limits: SizeLimits;
  #unpacked = 0;
  readonly #paths = new Set<string>();
  /** What else the archive has: links, and folders as `agents/.`. */
  readonly #occupied = new Set<string>();
  readonly #folders = new Set<string>();
  readonly #leftOut: { readonly path: string; readonly what: string }[] = [];
  /** Files and folders whose names other systems cannot store. */
  readonly #odd = new Set<string>();
  readonly #isRepository: boolean;
  #followed: ReadonlyMap<string, string> = new Map();
  /** Folders that are not content, each with the packages in it. */
  readonly #besides = new Map<string, Set<string>>();

  /** @param isRepository One odd name in it does not keep users from the rest; in an archive, it is refused. */
  constructor(
    folder: string,
    what: string,
    limits: SizeLimits,
    { isRepository = false }: { readonly isRepository?: boolean } = {},
  ) {
    this.#isRepository = isRepository;
    this.#folder = folder;
    this.#what = what;
    this.#counter = new SizeCounter(what, limits);
    this.#limits = limits;
    mkdirSync(folder, { recursive: true });
  }

  /** Call it before reading the content: it throws if that would be too much. */
  announce(bytes: number): void {
    this.#counter.add(bytes);
  }

  /** Counts everything an archive unpacks to, and stops one that is too large. */
  unpacked(bytes: number): void {
    this.#unpacked += bytes;
    const { files, bytes: most } = this.#limits;
    if (this.#unpacked > most + files * BESIDES) throw tooLarge(this.#what, this.#limits);
  }

  write(path: string, content: Uint8Array, executable: boolean): void {
    if (path.includes("\ufffd")) throw this.unsafe(path, "has a name that is not UTF-8");
    const parts = path.split("/");
    const isPlain = parts.every((part) => part !== "" && part !== "." && part !== "..");
    if (!isPlain) throw this.unsafe(path, "points outside the package");
    const odd = this.#isRepository ? parts.findIndex(isOddName) : -1;
    if (odd !== -1) {
      this.#odd.add(parts.slice(0, odd + 1).join("/"));
      return;
    }
    if (/[\0\\]/.test(path)) throw this.unsafe(path, "has a name that is not allowed");
    this.#refuseTwice(path);
    // No hash and no list of capabilities would include it, so its code must not be there to load.
    const folder = NOT_CONTENT.exec(path)?.[1];
    if (folder !== undefined) {
      const inside = this.#besides.get(folder) ?? new Set();
      const [, name] = /^node_modules\/((?:@[^/]+\/)?[^./][^/]*)\//.exec(path) ?? [];
      this.#besides.set(folder, name === undefined ? inside : inside.add(name));
      return;
    }
    const file = join(this.#folder, path);
    try {
      if (!this.#folders.has(dirname(file))) mkdirSync(dirname(file), { recursive: true });
      this.#folders.add(dirname(file));
      writeFileSync(file, content, { mode: executable ? 0o755 : 0o644 });
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (["EEXIST", "ENOTDIR", "EISDIR"].includes(code)) throw this.unsafe(path, "is both a file and a folder");
      if (code === "ENAMETOOLONG") throw this.unsafe(path, "has a name that is too long");
      throw error;
    }
    this.#paths.add(path);
  }

  /** Something that is not written, but must not have the name of a file: not every program leaves it out. */
  occupy(path: string): void {
    if (!path.endsWith("/.")) this.#refuseTwice(path);
    this.#occupied.add(path);
  }

  /** The first of two files wins in some programs, the last in others. */
  #refuseTwice(path: string): void {
    if (this.#paths.has(path) || this.#occupied.has(path)) throw this.unsafe(path, "occurs twice");
  }

  /** A link, a device, a submodule: `what` names it. */
  leaveOut(path: string, what: string): void {
    this.#leftOut.push({ path, what });
  }

  /** Links whose content was written in their place, with what they point at. */
  follow(links: ReadonlyMap<string, string>): void {
    this.#followed = links;
  }

  /**
   * Returns notices for the user. Refuses a package that would lose files on some disks, or that is empty; of a
   * repository, those files are left out.
   */
  finish(): string[] {
    const collisions = findNameCollisions([...this.#paths, ...this.#occupied]).map((names) => names.toSorted());
    const taken = new Set(collisions.flat());
    const isTaken = (path: string): boolean =>
      taken.has(path) || path.split("/").some((_, i, parts) => taken.has(parts.slice(0, i).join("/")));
    const outermost = collisions.filter(([first = ""]) => !isTaken(dirname(first)));
    const alike = outermost.map((names) => names.map(shown).join(" and "));
    for (const [file = "", below] of collisions) {
      if (below?.startsWith(`${file}/`)) throw this.unsafe(file, "is both a file and a folder");
    }
    // Of one that stays, it would depend on the disk which one it is.
    if (this.#isRepository && taken.size > 0) {
      for (const path of [...this.#paths].filter(isTaken)) this.#paths.delete(path);
      for (const name of outermost.flat()) rmSync(join(this.#folder, name), { recursive: true, force: true });
    }
    if (alike[0] !== undefined && (!this.#isRepository || this.#paths.size === 0)) {
      throw this.#refuse(`has ${alike[0]}, which are the same file on many file systems`);
    }
    if (this.#paths.size === 0) {
      const hint = "Nothing was installed. Check the name of the folder or package.";
      throw new HugoError("package-unsafe", { message: `${this.#what} has no files`, hint });
    }
    const followed = [...this.#followed].map(([link, target]) => `${shown(link)} to ${shown(target)}`);
    const besides = [...this.#besides].map(([path, inside]) => ({ path, what: "folder", inside: [...inside].sort() }));
    const leftOut = [...this.#leftOut.map((each) => ({ ...each, inside: [] })), ...besides]
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map(({ path, what, inside }) => {
        const names =
          inside.length === 0
            ? ""
            : ` (with ${few(inside.map((name) => (/^[\w@./-]+$/.test(name) ? name : shown(name))))})`;
        return `${what} ${shown(path)}${names}`;
      });
    const odd = [...this.#odd].sort().map(shown);
    return [
      ...(followed.length === 0 ? [] : [`Followed links in ${this.#what}: ${few(followed)}`]),
      ...(odd.length === 0 ? [] : [`Left out of ${this.#what}, because Windows cannot store the name: ${few(odd)}`]),
      ...(alike.length === 0
        ? []
        : [`Left out of ${this.#what}, because many file systems cannot tell the names apart: ${few(alike)}`]),
      ...(leftOut.length === 0 ? [] : [`Left out of ${this.#what}: ${few(leftOut)}`]),
    ];
  }

  /** `problem` completes "review has agents/a.md, which …". */
  unsafe(path: string, problem: string): HugoError {
    return this.#refuse(`has ${shown(path)}, which ${problem}`);
  }

  #refuse(problem: string): HugoError {
    return new HugoError("package-unsafe", { message: `${this.#what} ${problem}`, hint: TAKE_OUT });
  }
}

/** The first three, and how many more. */
function few(names: readonly string[]): string {
  return `${names.slice(0, 3).join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`;
}

/** Nothing that deceives: only what some systems cannot store. */
function isOddName(name: string): boolean {
  return /[\\:]|^ |[. ]$/.test(name) || isReservedOnWindows(name);
}

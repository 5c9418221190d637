// Which files a turn has changed, as git sees them. Nothing is written into the repository: the index is a copy, and new objects
// go to a temporary folder.
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** More than this is not looked at: a turn must not wait for gigabytes that git was never told to ignore. */
const mostFiles = 5000;
const mostBytes = 64 * 1024 * 1024;

const longestDiff = 1024 * 1024;

/** A snapshot serves all turns that begin within this time. */
const freshMs = 1000;

/** Atomic's own files are not the agent's. */
const project = ["--", ".", ":(exclude).atomic"];

interface Repository {
  readonly index: string;
  readonly objects: string;
}

/** The files of one folder. Everything is undefined without git, and where there is too much to look at. */
export class FileChanges {
  readonly #folder: string;
  #temporary: string | undefined;
  #repository: Promise<Repository | undefined> | undefined;
  #last: { readonly at: number; readonly tree: Promise<string | undefined> } | undefined;
  /** One at a time: they share an index. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The files as they are now, or were a moment ago. */
  before(): Promise<string | undefined> {
    if (this.#last === undefined || performance.now() - this.#last.at > freshMs) return this.now();
    return this.#last.tree;
  }

  now(): Promise<string | undefined> {
    const tree = this.#queue.then(() => this.#tree());
    this.#queue = tree.catch(() => undefined); // its caller gets the error
    this.#last = { at: performance.now(), tree };
    return tree;
  }

  /** Undefined if nothing has changed. A diff that is too long is a list of files instead. */
  async between(before: string, after: string): Promise<string | undefined> {
    if (before === after) return undefined;
    const options = ["--no-color", "--no-ext-diff", "--no-textconv"];
    const diff = await this.#git(["diff", ...options, before, after]);
    return diff ?? (await this.#git(["diff", ...options, "--stat", before, after]));
  }

  dispose(): void {
    this.#remove();
    process.removeListener("exit", this.#remove);
    this.#repository = undefined;
    this.#last = undefined;
  }

  readonly #remove = (): void => {
    if (this.#temporary !== undefined) rmSync(this.#temporary, { recursive: true, force: true });
    this.#temporary = undefined;
  };

  async #tree(): Promise<string | undefined> {
    this.#repository ??= this.#find();
    const repository = await this.#repository;
    if (repository === undefined) return undefined;
    const listed = ["ls-files", "--modified", "--others", "--exclude-standard", "-z", ...project];
    const changed = (await this.#git(listed))?.split("\0").filter((path) => path !== "");
    if (changed === undefined || changed.length > mostFiles) return undefined;
    let bytes = 0;
    for (const path of changed) bytes += lstatSync(join(this.#folder, path), { throwIfNoEntry: false })?.size ?? 0;
    if (bytes > mostBytes) return undefined;
    if ((await this.#git(["add", "--all", ...project])) === undefined) return undefined;
    return (await this.#git(["write-tree"]))?.trim();
  }

  async #find(): Promise<Repository | undefined> {
    // Most folders outside a repository are recognized without starting a program.
    for (let at = resolve(this.#folder); !existsSync(join(at, ".git")); at = dirname(at)) {
      if (at === dirname(at)) return undefined;
    }
    const found = await this.#run(["rev-parse", "--git-path", "index", "--git-path", "objects"], {});
    const [index, objects] = (found ?? "").split("\n").map((path) => resolve(this.#folder, path));
    if (found === undefined || index === undefined || objects === undefined) return undefined;
    this.#temporary = mkdtempSync(join(tmpdir(), "atomic-changes-"));
    mkdirSync(join(this.#temporary, "objects"));
    // A program may end without disposing its hosts, as after a second Ctrl-C.
    process.on("exit", this.#remove);
    // With its knowledge of the files, git need not read them all.
    if (existsSync(index)) copyFileSync(index, join(this.#temporary, "index"));
    return { index: join(this.#temporary, "index"), objects };
  }

  async #git(args: readonly string[]): Promise<string | undefined> {
    const repository = await this.#repository;
    if (repository === undefined || this.#temporary === undefined) return undefined;
    return await this.#run(args, {
      GIT_INDEX_FILE: repository.index,
      GIT_OBJECT_DIRECTORY: join(this.#temporary, "objects"),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: repository.objects,
    });
  }

  /** Undefined if git fails: the diff is for people, and no reason to stop. */
  #run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string | undefined> {
    const options = {
      cwd: this.#folder,
      env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", ...env },
      maxBuffer: longestDiff,
      encoding: "utf8",
    } as const;
    // Names such as `ü.txt` are for people, so git must not print their bytes as octal numbers.
    const settings = ["fsmonitor=false", "hooksPath=/dev/null", "quotePath=false"].map((each) => `core.${each}`);
    const safe = [...settings, "advice.addEmbeddedRepo=false"].flatMap((setting) => ["-c", setting]);
    return new Promise((done) => {
      execFile("git", [...safe, ...args], options, (error, stdout) => done(error === null ? stdout : undefined));
    });
  }
}

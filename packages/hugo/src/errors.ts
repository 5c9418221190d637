import { type ErrorExplanation, ExplainedError } from "@atomic/durable-files/explained-error";
import type { ExitCode } from "@atomic/terminal/exit-codes";

/** Every reason to refuse, with the exit code that it leads to. The names are stable. */
const exitCodeOf = {
  /** The package spec is not one that Hugo can fetch. */
  "spec-invalid": 2,
  /** The package has a name that a workflow cannot have. */
  "name-invalid": 3,
  /** The package contains links, unsafe file names or far too much. */
  "package-unsafe": 3,
  /** The manifest is wrong, or does not match the files. */
  "manifest-invalid": 3,
  /** OpenCode could not start with, or would misread, an agent, command or skill of the package. */
  "content-invalid": 3,
  /** The package does not contain a workflow. */
  "no-workflow": 3,
  /** No package, repository or folder has that name. */
  "package-not-found": 1,
  /** The package is there, but not in that version or at that commit. */
  "version-not-found": 1,
  /** The release was published so recently that others had no time to notice anything wrong with it. */
  "release-too-new": 3,
  /** The bytes are not those that the registry or the lock promises. */
  "integrity-mismatch": 3,
  /** A registry or a git host does not answer, or its answer makes no sense. */
  "network-failed": 6,
  /** The registry cannot be searched. */
  "search-unavailable": 6,
  /** The registry or git host requires a login, or denied access to you. */
  "access-denied": 6,
  /** A program that Hugo needs is missing, or failed. */
  "program-failed": 6,
  /** An environment variable or a setting of npm has a value that cannot be used. */
  "setting-invalid": 2,
  /** A config file of OpenCode does not parse, or OpenCode would not accept it. */
  "config-invalid": 3,
  /** OpenCode would replace part of what has to be written into a config file. */
  "config-unsafe": 3,
  /** The lock file, hugo.json, does not parse or has an invalid value. */
  "lock-invalid": 3,
  /** The lock file, hugo.json, contains the markers of an unfinished merge. */
  "lock-conflict": 3,
  /** The lock file, hugo.json, was written by a newer Hugo. */
  "lock-newer": 3,
  /** A file that the change needs belongs to another workflow. */
  "file-taken": 3,
  /** Another package has the name under which this one would be known. */
  "name-taken": 3,
  /** It is already installed, and `--force` was not given. */
  "already-installed": 1,
  /** A change needs your approval, and you could not be asked. */
  "not-approved": 4,
  /** The package is a collection from which you choose, and you could not be asked. */
  "choice-needed": 4,
  /** You were asked, and the answer was no. */
  declined: 1,
  /** No installed workflow has this name. */
  "not-installed": 1,
  /** The folder for a new package is not empty. */
  "folder-not-empty": 3,
  /** Another Hugo is changing the same project. */
  busy: 3,
  /** A file changed while Hugo was deciding what to do with it. */
  "changed-meanwhile": 3,
  /** There is a link, a folder or something else where Hugo has to write a file. */
  "place-unsafe": 3,
  /** The disk is full, read-only or broken; nothing was changed. */
  "disk-refused": 3,
  /** A change is half made and could not be finished; the next command finishes or undoes it. */
  unfinished: 70,
  /** There is no earlier state to return to. */
  "nothing-to-undo": 1,
  /** What the last change made has been changed since. */
  "undo-blocked": 3,
  /** Files of an earlier design of Hugo cannot be read. */
  "legacy-invalid": 3,
} as const;

export type HugoErrorCode = keyof typeof exitCodeOf;

/** One of several things that are wrong. */
export interface PartOfError {
  /** `file:line:col`. */
  readonly at: string;
  readonly message: string;
}

export interface HugoErrorDetails extends ErrorExplanation {
  readonly hint: string;
  /** Each of several things that are wrong; the message has all of them. */
  readonly parts?: readonly PartOfError[];
}

/** Why Hugo refused to continue: what, where, and what next. */
export class HugoError extends ExplainedError {
  override readonly name = "HugoError";
  declare readonly code: HugoErrorCode;
  declare readonly hint: string;
  readonly parts: readonly PartOfError[];

  constructor(code: HugoErrorCode, { message, at, hint, parts = [], cause }: HugoErrorDetails) {
    super(code, { message, at, hint, cause });
    this.parts = parts;
  }

  override get exitCode(): ExitCode {
    return exitCodeOf[this.code];
  }
}

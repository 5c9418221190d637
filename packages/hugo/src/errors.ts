import { type ErrorExplanation, ExplainedError } from "@atomic/durable-files/explained-error";
import type { ExitCode } from "@atomic/terminal/exit-codes";

/** Every reason to refuse, with the exit code that it leads to. The names are stable. */
const exitCodeOf = {
  /** A package spec that cannot or should not be fetched. */
  "spec-invalid": 2,
  /** A package whose name cannot be the name of a workflow. */
  "name-invalid": 3,
  /** A package with links, unsafe names or no end. */
  "package-unsafe": 3,
  /** A manifest that is wrong, or at odds with the files. */
  "manifest-invalid": 3,
  /** Agents, commands or skills that OpenCode would die of or misread. */
  "content-invalid": 3,
  /** A package without a workflow in it. */
  "no-workflow": 3,
  /** No package, repository or folder has that name. */
  "package-not-found": 1,
  /** The package is there, but not in that version or at that commit. */
  "version-not-found": 1,
  /** Published so recently that others had no time to notice what is wrong with it. */
  "release-too-new": 3,
  /** Other bytes than the registry or the lock promise. */
  "integrity-mismatch": 3,
  /** A registry or a git host that does not answer, or not sensibly. */
  "network-failed": 6,
  /** A registry that cannot be searched. */
  "search-unavailable": 6,
  /** A registry or a git host that wants to know who is asking. */
  "access-denied": 6,
  /** A program that is needed is not there, or failed. */
  "program-failed": 6,
  /** A variable of the environment has a value that cannot be used. */
  "setting-invalid": 2,
  /** A config file of OpenCode that does not parse or has another shape than OpenCode accepts. */
  "config-invalid": 3,
  /** Something that must not be written into a config file. */
  "config-unsafe": 3,
  /** hugo.json does not parse or says something impossible. */
  "lock-invalid": 3,
  /** hugo.json with the marks of an unfinished merge in it. */
  "lock-conflict": 3,
  /** hugo.json was written by a newer Hugo. */
  "lock-newer": 3,
  /** A file that the change needs belongs to another workflow. */
  "file-taken": 3,
  /** Another package has the name under which this one would be known. */
  "name-taken": 3,
  /** It is already installed, and `--force` was not given. */
  "already-installed": 1,
  /** A change needs your approval, and you could not be asked. */
  "not-approved": 4,
  /** A collection of which you have to choose a part, and you could not be asked. */
  "choice-needed": 4,
  /** You were asked, and the answer was no. */
  declined: 1,
  /** A name that no installed workflow has. */
  "not-installed": 1,
  /** A new package must not be mixed with what is there. */
  "folder-not-empty": 3,
  /** Another Hugo is at work in the same place. */
  busy: 3,
  /** A file changed while Hugo was deciding what to do with it. */
  "changed-meanwhile": 3,
  /** A link, a folder or something else in a place where Hugo must write a file. */
  "place-unsafe": 3,
  /** The disk is full, read-only or broken; nothing was changed. */
  "disk-refused": 3,
  /** A change is half made and could not be finished; the next command finishes or undoes it. */
  unfinished: 70,
  /** No earlier state to return to. */
  "nothing-to-undo": 1,
  /** What the last change made has been changed since. */
  "undo-blocked": 3,
  /** What an earlier design of Hugo left behind cannot be understood. */
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

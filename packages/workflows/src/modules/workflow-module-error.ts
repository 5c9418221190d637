import { ExplainedError } from "@atomic/durable-files/explained-error";
import { escapeForTerminal } from "@atomic/terminal/hidden-characters";

/** Why a workflow cannot be loaded from its file. `message` says what and where, `hint` what to do next. */
export class WorkflowModuleError extends ExplainedError {
  override readonly name = "WorkflowModuleError";
  declare readonly code: WorkflowModuleErrorCode;
  /** The file, with line and column if known. */
  declare readonly at: string;

  constructor(
    code: WorkflowModuleErrorCode,
    details: {
      readonly problem: string;
      readonly at: string;
      readonly hint?: string | undefined;
      readonly cause?: unknown;
    },
  ) {
    const { problem, at, hint, cause } = details;
    // A graph may have several problems, one per line.
    const lines = `${at}: ${problem}`.split("\n").map((line) => escapeForTerminal(line, { singleLine: true }));
    const safeHint = hint === undefined ? undefined : escapeForTerminal(hint, { singleLine: true });
    super(code, { message: lines.join("\n"), at, hint: safeHint, cause });
  }

  /** 3: the workflow cannot be used as it is, and nothing was started. */
  override get exitCode(): number {
    return this.code === "not-a-workflow" || this.code === "file-missing" ? 1 : 3;
  }
}

export type WorkflowModuleErrorCode =
  | "not-a-workflow" // it is an entity of another type, or one without a file
  | "workflow-disabled" // it is listed, but must not run
  | "file-missing" // its file no longer exists, or cannot be loaded from its path
  | "syntax" // it cannot be parsed, or uses TypeScript syntax that cannot be stripped
  | "import-missing" // it imports a file, a package or a name that does not exist
  | "throws" // it fails while it is imported
  | "no-graph" // its default export is missing or is not a graph
  | "other-name" // the graph and the file have different names
  | "graph-invalid"; // its graph has problems, which the message lists

import type { Permission } from "@atomic/workflows/internal/permission/rules";
import type { CopiedFile } from "../copied-files.ts";

/** What would be copied of a package, after translation. */
export interface FilesToDeliver {
  /** By destination below `.opencode`. */
  readonly files: Map<string, CopiedFile>;
  /** What is different in OpenCode, and harmless. */
  readonly notes: readonly TranslationNote[];
  /** What must not be copied, since in OpenCode it could do more than its file says. */
  readonly stopped: readonly StoppedFile[];
}

export interface TranslationNote {
  /** Path in the package. */
  readonly source: string;
  /** `file:line:col` in the package. */
  readonly at: string;
  readonly message: string;
}

export interface StoppedFile {
  /** Path in the package. */
  readonly source: string;
  readonly destination: string;
  /** What it belongs to, such as `agents/reviewer`. A skill is stopped with all its files, for one reason. */
  readonly entity: string;
  /** `file:line:col` in the package, of the restriction that would be lost. */
  readonly at: string;
  readonly because: string;
  readonly hint: string;
}

export interface DeliverOptions {
  /** Models of the user for Claude's, such as `sonnet` to `anthropic/claude-sonnet-4-5`. Others are the session's. */
  readonly models?: ReadonlyMap<string, string>;
  /** The user's permissions for all agents. What is translated gets no more; OpenCode would let its rules win. */
  readonly limit?: Permission;
}

import type { Approval } from "./trust/approval-request.ts";

/** All that a command may know of the world outside of its input. */
export interface Context {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly user: User;
  /** Aborted when the user stops the command: every wait, fetch and program then ends. */
  readonly signal?: AbortSignal;
}

/** The user: someone at a terminal, an OpenCode user, or no one. */
export interface User {
  /** Shows what is about to happen and asks once. `nobody` if no user can answer. */
  approve(request: Approval): Promise<"approved" | "declined" | "nobody">;
  /**
   * Throws if an agent is at the keyboard, which must not agree to anything for you. Missing where only a person can
   * answer, as in OpenCode's own question.
   */
  refuseAgent?(what: string): void;
  /** Says what takes its time. The next step replaces it, and the end of the command ends it. */
  progress(step: string): void;
}

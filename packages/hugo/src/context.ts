import type { Approval } from "./trust/approval-request.ts";

/** All that an operation may know of the world outside of its input. */
export interface Context {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly person: Person;
  /** Aborted when somebody wants the operation to end: whatever waits, fetches or runs a program ends then. */
  readonly signal?: AbortSignal;
}

/** Whoever is at the other end: somebody at a terminal, a user of OpenCode, or nobody. */
export interface Person {
  /** Shows what is about to happen and asks once. `nobody` if there is nobody who could answer. */
  approve(request: Approval): Promise<"approved" | "declined" | "nobody">;
  /**
   * Throws if an agent is at the keyboard, which must not agree to anything for you. Missing where only a person can
   * answer, as in OpenCode's own question.
   */
  refuseAgent?(what: string): void;
  /** Says what takes its time. The next step replaces it, and the end of the operation ends it. */
  progress(step: string): void;
}

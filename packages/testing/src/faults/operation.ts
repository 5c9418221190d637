/** One change that a traced command made, or was about to make, below the watched folder. */
export interface FileOperation {
  /** Counted over all threads and child processes, from 1. */
  readonly number: number;
  readonly pid: number;
  readonly tid: number;
  /** The system call: `openat`, `write`, `rename`, … */
  readonly call: string;
  readonly path: string;
  /** The other path of a rename or a link. */
  readonly from?: string;
  /** How many bytes a writing call was asked to write. */
  readonly bytes?: number;
}

/** What can meet an operation. Named as `killpoint.c` names them. */
export type Fault = "kill" | "kill-after" | "enospc" | "enospc-persistent" | "eio" | "erofs" | "eacces" | "short";

/** The seven that every command has to survive; `eacces` is asked for by name. */
export const defaultFaults: readonly Fault[] = [
  "kill",
  "kill-after",
  "enospc",
  "enospc-persistent",
  "eio",
  "erofs",
  "short",
];

export function canMeet(operation: FileOperation, fault: Fault): boolean {
  return fault !== "short" || (operation.bytes ?? 0) > 1;
}

export function formatOperation({ number, call, path, from, bytes }: FileOperation): string {
  const size = bytes === undefined ? "" : ` (${bytes} bytes)`;
  return `#${number} ${call} ${from === undefined ? "" : `${from} -> `}${path}${size}`;
}

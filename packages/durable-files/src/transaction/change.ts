import type { Hash } from "../files/hash.ts";

/** One file of a transaction: its whole new content, or its removal. */
export type Change = (Write | Removal) & {
  /** What the caller read (see `readForEdit`). Anything else on disk: nothing at all is written and the error is `changed`. */
  expect?: Hash | "absent";
};

type Write = {
  path: string;
  content: string | Uint8Array;
  /** Permission bits. Default: those of the replaced file, or what the umask leaves for a new one. */
  mode?: number;
  delete?: never;
};

type Removal = { path: string; delete: true; content?: never; mode?: never };

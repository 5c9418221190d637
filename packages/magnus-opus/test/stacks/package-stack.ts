import { join } from "node:path";
import { readStack, type Stack } from "../../src/stacks/stack.ts";

/** One of the package's own stacks. */
export function packageStack(name: string): Stack {
  const read = readStack(join(import.meta.dirname, "../../stacks", name));
  if ("problem" in read) throw new Error(read.problem);
  return read.stack;
}

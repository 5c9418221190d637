import { errnoOf } from "./remove-tree.ts";

/** What the disk says, or undefined if there is no such thing; below something that is no folder there is nothing either. */
export function unlessMissing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

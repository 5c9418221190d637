import type { TreeLimits } from "../../packages/read-tree.ts";
import { SIZE_LIMITS } from "../limits.ts";

/** For one dependency: compilers and native programs are larger than any workflow. */
export const DEPENDENCY_LIMITS: TreeLimits = { ...SIZE_LIMITS, depth: 32 };

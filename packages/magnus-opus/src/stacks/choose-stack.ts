// Which stack a project has: the one that the settings name, or the one whose files are there.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { didYouMean } from "@atomic/terminal/suggest";
import { packageRoot } from "../package-root.ts";
import { fits, readStack, type Stack } from "./stack.ts";

export interface ChosenStack {
  readonly stack: Stack;
  /** Why this one, for people. */
  readonly why: string;
  /** Others whose files are there, too. */
  readonly others: readonly string[];
  readonly problems: readonly string[];
  /** All that can be chosen. */
  readonly known: readonly Stack[];
}

interface StackPlaces {
  /** Where OpenCode was started. */
  readonly directory: string;
  readonly worktree: string;
  /** OpenCode's folders of the project and of the user. */
  readonly projectFolder: string;
  readonly userFolder: string;
}

/** A stack of the project comes before one of the user, and that before the package's: also one of the same name. */
export function chooseStack(setting: string | undefined, places: StackPlaces): ChosenStack {
  const { directory, worktree, projectFolder, userFolder } = places;
  const problems: string[] = [];
  const known = new Map<string, Stack>();
  const own = [projectFolder, userFolder].map((folder) => join(folder, "magnus-opus", "stacks"));
  for (const folder of [...own, join(packageRoot, "stacks")]) {
    for (const name of foldersIn(folder)) {
      const read = readStack(join(folder, name));
      if ("problem" in read) problems.push(read.problem);
      else if (!known.has(name)) known.set(name, read.stack);
    }
  }
  const all = [...known.values()];
  const chosen = (stack: Stack, why: string, others: readonly string[] = []): ChosenStack => ({
    ...{ stack, why, others, problems, known: all },
  });
  if (setting !== undefined) {
    const named = known.get(setting);
    if (named !== undefined) return chosen(named, 'set by "stack" in the settings');
    const [best] = didYouMean(setting, known.keys());
    problems.push(`There is no stack "${setting}"${best === undefined ? "" : ` (did you mean ${best}?)`}.`);
  }
  for (const folder of new Set([directory, worktree])) {
    const found = all
      .map((stack) => {
        const certain = stack.detect?.find((condition) => fits(folder, condition));
        const hint = stack.hints?.find((condition) => fits(folder, condition));
        return { stack, mark: certain ?? hint, score: certain === undefined ? 0 : 1 };
      })
      .filter(({ mark }) => mark !== undefined)
      // The sort is stable: a project's own stack stays before the package's.
      .sort((a, b) => b.score - a.score || (b.stack.priority ?? 100) - (a.stack.priority ?? 100));
    const [first, ...rest] = found;
    if (first !== undefined) {
      const others = rest.filter(({ score }) => score === first.score).map(({ stack }) => stack.name);
      return chosen(first.stack, `because of ${first.mark}`, others);
    }
  }
  return chosen(known.get("generic")!, "because no other stack was recognized");
}

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

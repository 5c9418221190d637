import { count } from "@atomic/terminal/count";

/** More lines than this say less. */
const MOST_LINES = 20;

interface FoldedFile {
  /** A file, or the folder that stands for several. */
  readonly path: string;
  readonly amount: number;
}

/**
 * Files for a report, in their order. Folders stand for many files, as deep as possible.
 *
 * @param what What happened to a file; only files with the same fate are put together.
 *
 * @example
 * foldFiles(hundred).map(labelOf); // ["skills/docx/ (59 files)", "skills/pdf/ (41 files)"]
 */
export function foldFiles<Each extends { readonly path: string }>(
  files: readonly Each[],
  what: (file: Each) => string = () => "",
): (Each & FoldedFile)[] {
  const foldedAt = (depth: number): (Each & FoldedFile)[] => {
    const folded = new Map<string, Each & FoldedFile>();
    for (const file of files) {
      const parts = file.path.split("/");
      const path = parts.slice(0, depth).join("/");
      const known = folded.get(`${what(file)} ${path}`);
      // A folder with a single file is that file.
      const entry = known === undefined ? { ...file, amount: 1 } : { ...known, path, amount: known.amount + 1 };
      folded.set(`${what(file)} ${path}`, entry);
    }
    return [...folded.values()];
  };
  const deepest = Math.max(1, ...files.map(({ path }) => path.split("/").length));
  for (let depth = deepest; depth > 1; depth--) {
    const folded = foldedAt(depth);
    if (folded.length <= MOST_LINES) return folded;
  }
  return foldedAt(1);
}

export function labelOf({ path, amount }: FoldedFile): string {
  return amount === 1 ? path : `${path}/ (${count(amount, "file")})`;
}

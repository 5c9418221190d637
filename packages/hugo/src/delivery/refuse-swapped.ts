import type { LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";

/**
 * A path that was a file and becomes a folder, or the other way round. One change cannot do both: a file is put in its
 * place before the old ones go, so that no crash can leave neither.
 */
export function refuseSwapped(
  recorded: ReadonlyMap<string, LockedFile>,
  next: ReadonlyMap<string, unknown>,
  { workflow, source }: { readonly workflow: string; readonly source: string },
): void {
  const installed = [...recorded].filter(([, { kind }]) => kind === "installed").map(([path]) => path);
  const toFolder = folderOver([...next.keys()], new Set(installed));
  const toFile = folderOver(installed, new Set(next.keys()));
  const path = toFolder ?? toFile;
  if (path === undefined) return;
  const [was, is] = toFolder === undefined ? ["a folder", "a file"] : ["a file", "a folder"];
  throw new HugoError("file-taken", {
    message: `.opencode/${path} is ${was} and would become ${is}, which cannot be done in one change`,
    at: `.opencode/${path}`,
    hint: `Do it in two: hugo remove ${workflow}, then hugo install ${source}. Nothing was changed.`,
  });
}

/** The first folder on the way to one of the paths that stands among the files. */
function folderOver(paths: readonly string[], files: ReadonlySet<string>): string | undefined {
  const folders = paths.flatMap((path) => {
    const parts = path.split("/");
    return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
  });
  return folders.sort().find((folder) => files.has(folder));
}

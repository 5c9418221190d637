import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { fetchCommit } from "./git/fetch-commit.ts";
import { isCommit, resolveRef } from "./git/resolve-ref.ts";
import type { GitSource } from "./package-source.ts";

/** The commit that a git source stands for at the moment. One that names a commit stands for that for ever. */
export async function latestCommit(source: GitSource, context: Context): Promise<string> {
  if (source.ref !== undefined && isCommit(source.ref)) return source.ref;
  context.person.progress(`Asking ${source.url} for its newest commit`);
  const resolved = await resolveRef(source, context);
  if (resolved.kind === "commit") return resolved.commit;
  const folder = mkdtempSync(join(tmpdir(), "hugo-git-"));
  try {
    const { commit } = await fetchCommit(resolved, { context, repository: join(folder, "repository") });
    return commit;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

import { join } from "node:path";
import type { Obtained, Step } from "../obtained.ts";
import type { GitSource } from "../package-source.ts";
import { PackageWriter } from "../package-writer.ts";
import { printPackageSpec } from "../spec.ts";
import { watchingSize } from "../watch-size.ts";
import { exportCommit } from "./export-commit.ts";
import { fetchCommit, refuseOtherCommit } from "./fetch-commit.ts";
import { resolveRef } from "./resolve-ref.ts";

export async function fromGit(source: GitSource, { context, into, folder, limits, exactly }: Step): Promise<Obtained> {
  const name = printPackageSpec(source);
  context.person.progress(`Fetching ${name}`);
  const resolved = await resolveRef(source, context, exactly?.version);
  const repository = join(into, "repository");
  const writer = new PackageWriter(folder, name, limits);
  const commit = await watchingSize(repository, name, limits, async (guard) => {
    const fetched = await fetchCommit(resolved, { context, repository, guard });
    if (exactly !== undefined) refuseOtherCommit(source.url, exactly.version, fetched.commit);
    await exportCommit(fetched, writer, { context, guard });
    return fetched.commit;
  });
  return { version: commit, notices: writer.finish() };
}

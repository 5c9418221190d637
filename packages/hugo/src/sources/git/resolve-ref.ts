import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import type { GitSource } from "../package-source.ts";
import { gitFailure, refNotFound } from "./git-failure.ts";
import { runGit } from "./run-git.ts";

/** What is to be fetched, and from where. */
export type ResolvedRef =
  | {
      readonly kind: "commit";
      readonly url: string;
      readonly commit: string /** Names it on the host. */;
      readonly ref?: string;
    }
  /** The start of a commit's name, which only the repository itself can complete. */
  | { readonly kind: "abbreviated"; readonly url: string; readonly start: string };

const COMMIT = /^[0-9a-f]{40}$/;

export function isCommit(text: string): boolean {
  return COMMIT.test(text);
}

/**
 * Asks the host where a source stands at the moment, or only whether it is there if the `commit` is known. Of several
 * addresses the first that answers counts.
 */
export async function resolveRef(source: GitSource, context: Context, commit?: string): Promise<ResolvedRef> {
  const [first = "", ...others] = addressesOf(source.url);
  const ref = commit ?? source.ref;
  try {
    return await resolveAt(first, ref, context);
  } catch (error) {
    if (!(error instanceof HugoError) || !["access-denied", "package-not-found"].includes(error.code)) throw error;
    for (const url of others) {
      const resolved = await resolveAt(url, ref, context).catch((second: unknown) => {
        if (second instanceof HugoError) return undefined; // the first error tells more
        throw second;
      });
      if (resolved !== undefined) return resolved;
    }
    throw error;
  }
}

/** GitHub hides private repositories behind a password prompt, but many users have an SSH key there. */
function addressesOf(url: string): string[] {
  const [, repository] = /^github:(.+)$/.exec(url) ?? [];
  if (repository === undefined) return [url.replace(/^git\+/, "")];
  return [`https://github.com/${repository}.git`, `ssh://git@github.com/${repository}.git`];
}

async function resolveAt(url: string, ref: string | undefined, context: Context): Promise<ResolvedRef> {
  const names = namesOf(ref);
  const { code, stdout, stderr } = await runGit(["ls-remote", "--quiet", "--", url, ...names], { context });
  if (code !== 0) throw gitFailure(url, stderr);
  const refs = refsIn(stdout);
  const name = names.find((candidate) => refs.has(candidate));
  if (name !== undefined) return { kind: "commit", url, commit: refs.get(name) ?? "", ref: name.replace("^{}", "") };
  if (ref !== undefined && isCommit(ref)) return { kind: "commit", url, commit: ref };
  if (ref !== undefined && /^[0-9a-f]{7,39}$/.test(ref)) return { kind: "abbreviated", url, start: ref };
  throw refNotFound(url, ref ?? "HEAD");
}

/** Of a tag with a message of its own, the commit it stands for. A tag wins over a branch, as everywhere in git. */
function namesOf(ref: string | undefined): string[] {
  if (ref === undefined || ref === "HEAD") return ["HEAD"];
  if (ref.startsWith("refs/")) return [`${ref}^{}`, ref];
  return [`refs/tags/${ref}^{}`, `refs/tags/${ref}`, `refs/heads/${ref}`];
}

function refsIn(output: string): Map<string, string> {
  const lines = output.split("\n").map((line) => line.split("\t"));
  return new Map(
    lines.flatMap(([commit = "", name]) => (name !== undefined && isCommit(commit) ? [[name, commit]] : [])),
  );
}

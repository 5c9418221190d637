// Commits through `git fast-import`: one process a commit, no work tree and no index to keep in step.
import { runGit } from "./run.ts";

/** Text or bytes of a file; with a mode; a link; or null for "deleted". */
export type GitFile =
  | string
  | Uint8Array
  | { content: string | Uint8Array; mode: "100644" | "100755" }
  | { symlink: string }
  | null;

export interface CommitToMake {
  branch: string;
  message: string;
  /** Changes against the branch's head. */
  files: Readonly<Record<string, GitFile>>;
}

interface Where {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Author and committer date. */
  seconds: number;
}

export async function fastImport(commit: CommitToMake, { cwd, env, seconds }: Where): Promise<string> {
  const ref = `refs/heads/${commit.branch}`;
  const parent = await runGit(["for-each-ref", "--format=%(objectname)", ref], { cwd, env });
  const input = Buffer.concat([
    Buffer.from(`commit ${ref}\n`),
    Buffer.from(`committer ${env.GIT_COMMITTER_NAME} <${env.GIT_COMMITTER_EMAIL}> ${seconds} +0000\n`),
    dataBlock(commit.message),
    Buffer.from(parent === "" ? "" : `from ${parent}\n`),
    ...Object.entries(commit.files).map(([path, file]) => change(path, file)),
  ]);
  await runGit(["fast-import", "--quiet", "--date-format=raw"], { cwd, env, input });
  return await runGit(["rev-parse", ref], { cwd, env });
}

function change(path: string, file: GitFile): Buffer {
  // A JSON string is a valid C-style quoted path, for spaces and line breaks in names.
  const name = JSON.stringify(path);
  if (file === null) return Buffer.from(`D ${name}\n`);
  const { mode, content } = blob(file);
  return Buffer.concat([Buffer.from(`M ${mode} inline ${name}\n`), dataBlock(content)]);
}

function blob(file: NonNullable<GitFile>): { mode: string; content: string | Uint8Array } {
  if (typeof file === "string" || file instanceof Uint8Array) return { mode: "100644", content: file };
  if ("symlink" in file) return { mode: "120000", content: file.symlink };
  return file;
}

function dataBlock(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from("\n")]);
}

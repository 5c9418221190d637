// A database and machines that share it: each has its own home and folder, and only the database and a repository in common.
import type { GitRepo } from "@atomic/testing/git";
import type { OwnedProcess } from "@atomic/testing/owned-process";
import type { Postgres } from "@atomic/testing/postgres";
import { type FileContent, type Project, type RunResult, tmpProject } from "@atomic/testing/project";
import { runtimes } from "../program.ts";

const [node] = runtimes;
export const program: readonly string[] = node?.command ?? [];

export interface Fleet {
  readonly url: string;
  readonly schema: string;
  readonly env: { readonly ATOMIC_ENGINE: string };
  atomic(project: Project, ...argv: readonly string[]): Promise<RunResult>;
  /** Resolves when the worker is ready. */
  startWorker(
    project: Project,
    argv?: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<OwnedProcess>;
  statusOf(project: Project, runId: string): Promise<{ readonly kind: string }>;
}

let schemas = 0;

/** A schema of its own, with tables. */
export async function newFleet(server: Postgres, admin: Project): Promise<Fleet> {
  const schema = `f${process.pid}_${++schemas}`;
  const url = `${server.url}?schema=${schema}`;
  const env = { ATOMIC_ENGINE: url };
  const atomic: Fleet["atomic"] = async (project, ...argv) => await project.run([...program, ...argv], { env });
  const { code, stderr } = await atomic(admin, "engine", "migrate");
  if (code !== 0) throw new Error(stderr);
  return {
    url,
    schema,
    env,
    atomic,
    startWorker: async (project, argv = [], more = {}) => {
      const worker = await project.start([...program, "worker", "--runs", "1", ...argv], { env: { ...env, ...more } });
      await worker.printed(/"event":"ready"/, 60_000);
      return worker;
    },
    statusOf: async (project, runId) => JSON.parse((await atomic(project, "show", runId, "--json")).stdout).status,
  };
}

/** A project whose files are in a repository that every machine reaches. */
export async function sharedProject(repo: GitRepo, files: Readonly<Record<string, FileContent>>): Promise<Project> {
  const project = await tmpProject({ files });
  await project.run(["git", "remote", "add", "origin", repo.url]);
  await push(project);
  return project;
}

/** Commits and pushes everything. */
export async function push(project: Project): Promise<void> {
  await project.run(["git", "add", "."]);
  await project.run(["git", "commit", "--quiet", "-m", "more"]);
  const { code, stderr } = await project.run(["git", "push", "--quiet", "--force", "origin", "HEAD:main"]);
  if (code !== 0) throw new Error(stderr);
  await project.run(["git", "fetch", "--quiet", "origin"]);
}

/** A module with one graph. */
export function workflow(name: string, body: string): Record<string, string> {
  const imports = `import { agentNode, defineGraph, toolNode, waitNode } from "@atomic/workflows";
import { appendFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
`;
  return {
    [`.atomic/workflows/${name}.ts`]: `${imports}export default defineGraph({ name: "${name}" }, (graph) => graph${body});\n`,
  };
}

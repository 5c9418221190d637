// Whether a workflow can be executed on other machines, and whether this one can execute it.
import { existsSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { shellLine } from "@atomic/terminal/shell-words";
import type { EntitySource } from "@atomic/workflows/internal/entities/entity";
import { type GraphJson, nodesWithPaths } from "@atomic/workflows/internal/graph/graph-json";
import { hostMakers } from "@atomic/workflows/internal/hosts/host-makers";
import type { AtomicContext } from "../context.ts";
import { gitFailed, tryGit } from "../fleet/git.ts";
import type { RunSetup } from "../runs/run-setup.ts";
import type { LoadedGraph } from "./load-graph.ts";

/** Refuses what only this machine has: files in your home, and files that git ignores. */
export async function refuseLocalFiles(
  { entity, compiled, registry, where }: LoadedGraph,
  isInRepository: boolean,
): Promise<void> {
  const used = [entity, ...compiled.entities.values()];
  const own = used.find(({ source }) => source.location === "user");
  if (own !== undefined) {
    throw new Refusal("workflow-at-home", {
      message: safe`${registry.qualifiedName(own)} is in your home, which workers on other machines do not have`,
      at: own.source.path,
      hint: safe`${wayIntoProject(own.source, where.home)}, then commit and push it.`,
      exitCode: 3,
    });
  }
  if (!isInRepository) return;
  const args = [
    "check-ignore",
    "--",
    ...used.flatMap(({ source }) => (source.location === "project" && source.path) || []),
  ];
  if (args.length === 2) return;
  const found = await tryGit(where.project, ...args);
  // 1: none is ignored.
  if (found.code !== 0 && found.code !== 1) throw gitFailed(where.project, args, found);
  const ignored = found.stdout;
  // Packages in Hugo's store are ignored, and downloaded by the worker.
  const first = ignored.split("\n").find((path) => path !== "" && !path.includes("/.hugo/store/"));
  if (first === undefined) return;
  throw new Refusal("workflow-ignored", {
    message: safe`git ignores ${relative(where.project, first)}, so workers on other machines would not have it`,
    at: first,
    hint: safe`Add it anyway, commit and push it: ${shellLine(["git", "add", "-f", first])}`,
    exitCode: 3,
  });
}

/** What to do with something at home so that the project has it, as the beginning of a sentence. */
function wayIntoProject({ path, workflow, pointer }: EntitySource, home: string): string {
  if (workflow !== undefined) return `Install it in the project with \`hugo install ${workflow}\``;
  if (path === undefined || pointer !== undefined) return "Define it in the project's own config";
  // OpenCode's folders have other names there.
  const target = relative(home, path).replace(/^\.config\/opencode\//, ".opencode/");
  const command = `mkdir -p ${shellLine([dirname(target)])} && cp ${shellLine([path, target])}`;
  return `Copy it into the project with \`${command}\``;
}

/** The hosts that get the run's prompts: those that nodes name, and the run's own for the others. */
export function hostsOf(graph: GraphJson, host: string): string[] {
  const hosts = [...nodesWithPaths(graph)].flatMap(({ node }) =>
    node.kind === "agent" || node.kind === "skill" || node.kind === "command" ? (node.host ?? host) : [],
  );
  return [...new Set(hosts)];
}

/** Refuses a run with prompts for an agent that is not installed here. It would fail, but elsewhere it would not. */
export async function refuseMissingHosts(
  { env }: AtomicContext,
  { compiled, where }: LoadedGraph,
  { host: standard }: RunSetup,
): Promise<void> {
  const makers = hostMakers({ folder: where.project, env, script: undefined });
  for (const name of hostsOf(compiled.json, standard)) {
    if (name === "opencode") {
      const isThere = (env.PATH ?? "")
        .split(delimiter)
        .some((folder) => folder !== "" && existsSync(join(folder, name)));
      if (isThere || env.ATOMIC_OPENCODE_URL) continue;
      throw new Refusal("host-missing", {
        message: "OpenCode is not installed on this machine",
        hint: "Install it with `npm install -g opencode-ai`, or start this worker with --hosts.",
        exitCode: 6,
      });
    }
    if (name !== "scripted" && name in makers) await (await makers[name as keyof typeof makers]()).dispose();
  }
}

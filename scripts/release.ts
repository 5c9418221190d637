// `npm run release`: prepares a release, publishes it from a hosted runner, or walks through all of it on this machine.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { applyPlan } from "./release/apply-plan.ts";
import { git } from "./release/commands.ts";
import { dryRun } from "./release/dry-run.ts";
import { packPackages, tableOf } from "./release/pack-packages.ts";
import { planRelease, type RepositoryState, readmeProblems } from "./release/plan-release.ts";
import { publishPackages } from "./release/publish-packages.ts";
import { placeholderProblem, type RepositoryAddress, repositoryAddress } from "./release/repository.ts";
import { readRepositoryState } from "./release/repository-state.ts";

const root = join(import.meta.dirname, "..");
const usage = `npm run release -- --dry-run [<version>]  the whole procedure on this machine, with a registry on loopback
npm run release -- <version>              writes versions and changelog, commits and tags; publishes nothing
npm run release -- --publish              on a hosted runner, for the tag it was started for
`;

async function release(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { "dry-run": { type: "boolean" }, publish: { type: "boolean" }, help: { type: "boolean" } },
  });
  if (values.help) {
    say(usage);
    return 0;
  }
  const [given] = positionals;
  const isDryRun = values["dry-run"] ?? false;
  const ways = [values.publish, isDryRun, given !== undefined && !isDryRun].filter(Boolean).length;
  if (ways !== 1 || positionals.length > 1 || (values.publish && given !== undefined)) return refuse([], usage);
  const repository = repositoryAddress(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  const state = await readRepositoryState(root);
  if (values.publish) return await publish(state, repository);
  return await prepare(given ?? state.currentVersion, state, { repository, isDryRun });
}

async function prepare(
  version: string,
  state: RepositoryState,
  { repository, isDryRun }: { readonly repository: RepositoryAddress; readonly isDryRun: boolean },
): Promise<number> {
  const plan = planRelease(version, state, placeholderProblem);
  if (isDryRun) {
    if (plan.dryRunProblems.length > 0) return refuse(plan.problems, "Nothing was built.\n");
    if (plan.problems.length > 0) say(`A real release is refused until this is fixed:\n${listed(plan.problems)}\n`);
    return (await dryRun({ root, plan, repository, say })) ? 0 : 1;
  }
  if (plan.problems.length > 0) return refuse(plan.problems, "Nothing was changed.\n");
  await applyPlan(root, plan);
  say(`Committed and tagged ${plan.tag}. Push both: git push origin main ${plan.tag}\n`);
  return 0;
}

async function publish(state: RepositoryState, repository: RepositoryAddress): Promise<number> {
  const version = state.currentVersion;
  const isTagged = (await git(["tag", "--points-at", "HEAD"], { cwd: root })).split("\n").includes(`v${version}`);
  const problems = [
    ...(process.env.ACTIONS_ID_TOKEN_REQUEST_URL
      ? []
      : ["Only a hosted runner publishes: it signs where a package was built."]),
    ...(isTagged ? [] : [`The tag v${version} is not on this commit.`]),
    ...state.changedFiles.slice(0, 5).map((file) => `${file} is not committed.`),
    ...(repository.isPlaceholder ? [placeholderProblem] : []),
    ...readmeProblems(state),
  ];
  if (problems.length > 0) return refuse(problems, "Nothing was built or published.\n");
  const packed = await packPackages({ root, version, repository, to: join(root, ".build/tarballs") });
  say(tableOf(packed.tarballs));
  if (packed.problems.length > 0) return refuse(packed.problems, "Nothing was published.\n");
  const distTag = version.includes("-") ? "next" : "latest";
  await publishPackages(packed.tarballs, {
    distTag,
    hasProvenance: true,
    env: process.env,
    say: (line) => say(`${line}\n`),
  });
  return 0;
}

function refuse(problems: readonly string[], end: string): number {
  process.stderr.write(`${listed(problems)}${end}`);
  return problems.length === 0 ? 2 : 1;
}

function listed(problems: readonly string[]): string {
  return problems.map((problem) => `- ${problem}\n`).join("");
}

function say(text: string): void {
  process.stdout.write(text);
}

try {
  process.exitCode = await release(process.argv.slice(2));
} catch (error) {
  const isUsage = (error as NodeJS.ErrnoException).code?.startsWith("ERR_PARSE_ARGS") ?? false;
  const { message } = error as Error;
  // Node explains how to write such a word as an argument, which none of ours is.
  process.stderr.write(isUsage ? `${message.split(". ")[0]?.replace(/\.?$/, ".")}\n\n${usage}` : `${message}\n`);
  process.exitCode = isUsage ? 2 : 1;
}

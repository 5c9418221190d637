import { existsSync } from "node:fs";
import { join } from "node:path";
import { readTextForEdit } from "@atomic/durable-files/files/read-for-edit";
import type { FlagSpec } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import { withRunner } from "@atomic/terminal/page";
import { UsageError } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { entityTypes } from "@atomic/workflows/internal/entities/entity";
import type { EntityRegistry } from "@atomic/workflows/internal/entities/registry";
import type { EntityNames } from "@atomic/workflows/internal/graph/entity-names-file";
import { type AtomicCommand, liveCommandOf } from "../command.ts";
import type { AtomicContext } from "../context.ts";
import { loadEntities, locate } from "../entities/load-entities.ts";
import { compareNames, hasAllNames, type NameChange, type NamesDifference, writeNames } from "../project/names-file.ts";
import { projectPaths } from "../project/plan-files.ts";
import { recoverFiles } from "../project/write-files.ts";
import { formatDiagnostic } from "../report/diagnostics.ts";
import { documentOf, shortPath, type Where } from "../report/path.ts";

/** Shared with `atomic init`, which writes the same file. */
export const userOption: FlagSpec = {
  kind: "flag",
  summary: "Include the names in your home folder, which others on the project do not have",
};

export const types: AtomicCommand = liveCommandOf({
  name: "types",
  summary: "Write the names of agents, skills and commands as types",
  arguments: {},
  options: {
    watch: { kind: "flag", summary: "Keep the file up to date until you press Ctrl-C" },
    check: { kind: "flag", summary: "Write nothing; exit with code 1 if the file is out of date" },
    user: userOption,
  },
  details: [
    `It writes ${projectPaths.names}. With this file, \`agentNode({ agent: "revieer" })\` is a type error, and your editor completes names; \`atomic init\` sets the project up for it. Commit the file, and run \`atomic types --check\` in CI.`,
    "Names in your home folder are left out, because a workflow that uses one fails for everyone else. In a graph you can still use their qualified names, such as `claude:user/reviewer`.",
  ],
  examples: [
    { command: "atomic types", shows: "Write the names of everything that the project has." },
    {
      command: "atomic types --watch",
      shows: "Update the file whenever an agent, skill, command or workflow changes.",
    },
    { command: "atomic types --check", shows: "In CI: fail if someone forgot to commit the file." },
  ],
  live: async (context, { watch, check, user, json }) => {
    if (watch && check) throw new UsageError("--watch and --check cannot be combined", { hint: "Choose one of them." });
    const [{ entityNames }, { isReadByNone }] = await Promise.all([
      import("@atomic/workflows/internal/graph/entity-names-file"),
      import("@atomic/workflows/internal/entities/tools/read-by-none"),
    ]);
    const namesOf = (registry: EntityRegistry): EntityNames => entityNames(registry, isReadByNone, { user });
    if (watch) return await keepUpToDate(context, { namesOf, json });
    const { registry, where } = await loadEntities(context);
    const names = namesOf(registry);
    if (!check) await recoverFiles(where.project);
    const difference = compareNames(where.project, names);
    const isCurrent = hasAllNames(difference);
    if (!check && !isCurrent) await writeNames(where.project, names, difference);
    const did = isCurrent ? "unchanged" : check ? "outdated" : "written";
    await show(context, { where, names, difference, did }, json);
    if (did === "written" && !json) {
      const left = user ? 0 : leftOut(names, entityNames(registry, isReadByNone));
      const notes = [
        ...(left === 0 ? [] : [`Left out ${count(left, "name")} in your home folder; --user includes them.`]),
        ...(isCovered(where.project) ? [] : ["Run `atomic init` once, so TypeScript and your editor read the file."]),
      ];
      context.stderr.write(
        notes
          .map((note) => paragraph(withRunner(note, "atomic", context.stderr), context.stderr, { indent: "  " }))
          .join(""),
      );
    }
    return did === "outdated" ? 1 : 0;
  },
});

interface TypesOutcome {
  readonly where: Where;
  readonly names: EntityNames;
  readonly difference: NamesDifference;
  readonly did: "written" | "unchanged" | "outdated";
}

/** Events say when to look. It ends with a signal, and its exit code is the signal's. */
async function keepUpToDate(
  context: AtomicContext,
  { namesOf, json }: { readonly namesOf: (registry: EntityRegistry) => EntityNames; readonly json: boolean },
): Promise<1> {
  const [{ watchEntities }, where] = await Promise.all([
    import("@atomic/workflows/internal/entities/watch"),
    locate(context),
  ]);
  const { project: projectPath, home: userPath } = where;
  await recoverFiles(projectPath);
  const presenceOf = [projectPaths.names];
  await using watch = await watchEntities({ projectPath, userPath, env: context.env, keepAlive: true, presenceOf });
  context.interrupted?.addEventListener("abort", () => void watch[Symbol.asyncDispose](), { once: true });
  for (const problem of watch.problems()) context.stderr.write(formatDiagnostic(problem, where, context.stderr));
  const update = async (isFirst: boolean): Promise<void> => {
    const names = namesOf(watch.registry);
    const difference = compareNames(projectPath, names);
    const isCurrent = hasAllNames(difference);
    if (!isCurrent) await writeNames(projectPath, names, difference);
    if (isFirst || !isCurrent)
      await show(context, { where, names, difference, did: isCurrent ? "unchanged" : "written" }, json);
  };
  await update(true);
  if (!json) context.stderr.write("Watching for changes; press Ctrl-C to stop.\n");
  for await (const _change of watch) await update(false);
  return 1;
}

/** Whether a tsconfig has the dot folder, as far as one can tell without reading what it extends. */
function isCovered(project: string): boolean {
  const own = join(project, projectPaths.ownTsconfig);
  return existsSync(own) || readTextForEdit(join(project, projectPaths.tsconfig)).text.includes(".atomic/");
}

/** How many names are only in the home folder. */
function leftOut(names: EntityNames, all: EntityNames): number {
  return entityTypes.reduce((sum, type) => sum + all[type].length - names[type].length, 0);
}

async function show(
  context: AtomicContext,
  { where, names, difference, did }: TypesOutcome,
  json: boolean,
): Promise<void> {
  const { added, removed, isThere } = difference;
  const path = join(where.project, projectPaths.names);
  const file = shortPath(path, where);
  const differences = [...added.map(nameLine("+")), ...removed.map(nameLine("-"))];
  const hint = withRunner("Run `atomic types`, and commit the file.", "atomic", context.stdout);
  const message = isThere ? `${file} is out of date` : `${file} does not exist`;
  if (json) {
    const { jsonLine } = await import("@atomic/terminal/json");
    const error = did === "outdated" ? { error: { code: "types-outdated", message, at: path, hint } } : {};
    const found = { file: path, did, names, added, removed };
    context.stdout.write(jsonLine({ ok: did !== "outdated", ...error, ...documentOf(where, found) }));
    return;
  }
  const counts = entityTypes.flatMap((type) => {
    const amount = names[type].length;
    return amount === 0 ? [] : [count(amount, `${type} name`)];
  });
  const titles = {
    written: safe`wrote ${file}: ${counts.join(", ")}`,
    unchanged: safe`${file} is up to date: ${counts.join(", ")}`,
    outdated: safe`${message}:`,
  };
  const output = did === "outdated" ? context.stderr : context.stdout;
  // A new file has them all.
  const listed = isThere || did === "outdated" ? differences.slice(0, mostShown) : [];
  const rest = listed.length > 0 ? differences.length - listed.length : 0;
  const more = rest > 0 ? [`  and ${count(rest, "more name")}`] : [];
  const lines = [...listed, ...more, ...(did === "outdated" ? [hint] : [])];
  output.write(paragraph(titles[did], output, { indent: "  " }) + lines.map((line) => `${line}\n`).join(""));
}

const mostShown = 10;

function nameLine(sign: "+" | "-"): (change: NameChange) => string {
  return ({ type, name }) => safe`  ${sign} ${type} ${name}`;
}

import type { Hash } from "@atomic/durable-files/files/hash";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { type Cell, type Column, formatTable } from "@atomic/terminal/table";
import { paragraph } from "@atomic/terminal/wrap";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import { versionLabel } from "../packages/labels.ts";
import { readPackageTree } from "../packages/read-tree.ts";
import { hashTree, textOf } from "../packages/tree.ts";
import { isFolderSame, latestCommit } from "../sources/git/fetch-commit.ts";
import { minimumReleaseAge } from "../sources/limits.ts";
import type { FileSource, RegistrySource } from "../sources/package-source.ts";
import { type AgeRule, chooseVersion } from "../sources/registry/choose-version.ts";
import { objectOrEmpty, type Packument } from "../sources/registry/packument.ts";
import { compareVersions } from "../sources/registry/version.ts";
import { removeTree } from "../sources/remove-tree.ts";
import { registryVersions } from "../sources/search-registry.ts";
import { addressOf, parsePackageSpec } from "../sources/spec.ts";
import { contradicts } from "../sources/tarball/unpack.ts";
import { temporaryFolder } from "../sources/temporary-folder.ts";
import { describeDependencies } from "../trust/changed-dependencies.ts";
import { inScope, placeFor, type WorkspacePlace } from "../workspace/place.ts";
import { commandFor, lockedRequest } from "../workspace/request.ts";
import { readSnapshot, type WorkspaceSnapshot } from "../workspace/snapshot.ts";
import { nothingInstalled, oneOrAll } from "./shared/find-workflows.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";
import { noticeLines, warning } from "./shared/notes.ts";
import { findUnmanaged, readUnmanaged, type UnmanagedEntry } from "./shared/unmanaged.ts";
import type { ReportedWorkflow } from "./shared/workflow-status.ts";

interface WorkflowFreshness extends Freshness, Pick<ReportedWorkflow, "name" | "package" | "source"> {
  /** Hugo did not install it: a config file lists it, and OpenCode fetched it. */
  readonly unmanaged?: true;
  /** The command that installs the latest version, if the version, range or ref that was asked for rules it out. */
  readonly toLatest?: string;
}

interface OutdatedResult {
  readonly place: WorkspacePlace;
  readonly workflows: readonly WorkflowFreshness[];
  readonly notices: readonly string[];
  /** With `--exit-code`. */
  readonly isStrict?: boolean;
}

const options = {
  exitCode: { kind: "flag", summary: "Exit with 1 if a workflow is outdated, and with 6 if one could not be checked" },
} as const;

const names = { name: { count: "maybe", summary: "Only this workflow" } } as const;

export const outdated: HugoCommand<typeof names, typeof options, OutdatedResult> = {
  name: "outdated",
  summary: "Show which workflows have a newer version",
  details: "Wanted is what `hugo update` would install; latest is the newest version.",
  arguments: names,
  options,
  examples: [
    { command: "hugo outdated", shows: "each workflow's installed, wanted and latest versions" },
    { command: "hugo outdated --exit-code", shows: "the same for a pipeline: exit code 1 if anything is outdated" },
  ],
  mutates: false,
  async run(context, input) {
    const place = placeFor(context, input);
    const snapshot = await readSnapshot(place);
    const { lock, notices } = snapshot;
    const listed = readUnmanaged(snapshot, context);
    const isInstalled = [...lock.workflows].some(([name, each]) => [name, each.package].includes(input.name ?? name));
    const named = input.name === undefined || isInstalled ? undefined : findUnmanaged(listed, input.name);
    if (named !== undefined) refuseUncompared(named);
    const unmanaged = input.name === undefined ? listed : named === undefined ? [] : [named];
    const asked: readonly AskedPackage[] = [
      ...(named === undefined ? oneOrAll(lock, input.name) : []).map((name) => ({
        name,
        ...lock.workflows.get(name)!,
      })),
      // Of a version that OpenCode has not fetched yet, nothing can be old.
      ...unmanaged.flatMap(({ name, version, adoption }) =>
        version === undefined || "problem" in adoption
          ? []
          : [{ name, package: name, source: adoption.request.recorded, version, unmanaged: true } as const],
      ),
    ];
    const answers = new Map<AskedPackage, Freshness>();
    const minimumAge = minimumReleaseAge(context.env);
    const rule = { now: Date.now(), minimumAge, remedy: "use `hugo update --allow-new`" };
    const waiting = [...asked];
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, asked.length) }, async () => {
        for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
          const freshness = await freshnessOf(one, place, context, rule);
          const isCurrent = freshness.wanted === freshness.installed && !freshness.changed;
          answers.set(one, isCurrent ? await withDependencies(one, freshness, snapshot, context, rule) : freshness);
        }
      }),
    );
    const workflows = asked.map((one): WorkflowFreshness => {
      const { name, package: packageName, source, unmanaged } = one;
      const freshness = answers.get(one)!;
      const { installed, wanted, latest, notices } = freshness;
      // Another reason to wait, such as a release that is too new, is a notice.
      const isKept = wanted === installed && latest !== undefined && latest !== installed && notices.length === 0;
      const open = isKept && !unmanaged ? withoutVersion(source) : undefined;
      return {
        ...{ name, package: packageName, source, ...freshness },
        ...(open !== undefined && { toLatest: commandFor(place, "install --force", open) }),
        ...(unmanaged && { unmanaged }),
      };
    });
    return { place, workflows, notices, isStrict: input.exitCode };
  },
  /** A newer version is not an error, so it exits with 0 unless `--exit-code` asks; with 1 if a source did not answer. */
  report: {
    text: ({ workflows }, page) => {
      if (workflows.length === 0) return paragraph(nothingInstalled, page, { indent: "" });
      const behind = workflows.filter((each) => isOutdated(each) || each.problem !== undefined);
      if (behind.length === 0) return paragraph("Everything is up to date.", page, { indent: "" });
      return formatTable(
        columns,
        behind.map(({ name, installed, wanted, latest, source }) => {
          const wantedCell: Cell =
            wanted === undefined ? "?" : { text: versionLabel(wanted), colour: wanted === installed ? "dim" : "green" };
          const latestCell: Cell = latest === undefined ? "?" : { text: versionLabel(latest), colour: "cyan" };
          return [name, versionLabel(installed), wantedCell, latestCell, source];
        }),
        page,
      );
    },
    notes: ({ place, workflows, notices }, page) => {
      return [
        ...workflows.flatMap(({ name, problem }) =>
          problem === undefined ? [] : [warning(`${name} could not be checked. ${problem}`, page)],
        ),
        ...noticeLines([...new Set(workflows.flatMap(({ hint }) => hint ?? []))], page),
        ...workflows.flatMap((each) => noticeLines(each.notices, page)),
        ...noticeLines(notices, page),
        ...workflows.flatMap(({ name, installed, source, toLatest }) => {
          if (toLatest === undefined) return [];
          const kept = safe`${name} stays at ${versionLabel(installed)}, because you asked for ${source}.`;
          return paragraph(`${kept} For the latest version: ${safeLine(toLatest)}`, page, { indent: "  " });
        }),
        ...nextSteps(workflows).map((step) => paragraph(safeLine(inScope(place, step)), page, { indent: "" })),
      ].join("");
    },
    json: ({ workflows, notices }) => ({
      workflows: workflows.map((each) => ({ ...each, outdated: isOutdated(each) })),
      notices,
    }),
    exitCode: ({ workflows, isStrict }) => {
      if (workflows.some(({ problem }) => problem !== undefined)) return isStrict ? 6 : 1;
      return isStrict && workflows.some(isOutdated) ? 1 : 0;
    },
    error: ({ place, workflows }) => {
      const unknown = workflows.filter(({ problem }) => problem !== undefined);
      if (unknown.length === 0) {
        const names = workflows.filter(isOutdated).map(({ name }) => name);
        const message = `${names.length === 1 ? "1 workflow is" : `${names.length} workflows are`} outdated: ${names.join(", ")}`;
        const again = workflows.filter((each) => each.republished && !isUpdatable(each));
        const looks = again.map(({ package: name, installed }) => `\`hugo info ${name}@${installed}\``);
        const hints = [
          ...nextSteps(workflows),
          ...(workflows.some(({ toLatest }) => toLatest !== undefined)
            ? [
                "`hugo update` keeps the versions that you asked for; each workflow's `toLatest` installs the latest one.",
              ]
            : []),
          ...(looks.length > 0 ? [`Review what was published again before you install it: ${looks.join(", ")}.`] : []),
        ];
        return { code: "outdated", message, hint: inScope(place, hints.join(" ")) };
      }
      const [first] = unknown;
      const message =
        unknown.length === 1
          ? `${first?.name} could not be checked. ${first?.problem}`
          : `${unknown.length} workflows could not be checked: ${unknown.map(({ name }) => name).join(", ")}`;
      const hints = new Set(unknown.map(({ hint }) => hint));
      const hint = hints.size === 1 ? first?.hint : "Each workflow's `problem` says why, and its `hint` what to do.";
      return { code: "not-compared", message, hint };
    },
  },
};

/** What brings outdated ones up to date. */
function nextSteps(workflows: readonly WorkflowFreshness[]): string[] {
  const others = workflows.filter((each) => each.unmanaged && isOutdated(each)).map(({ name }) => name);
  return [
    ...(workflows.some(isUpdatable) ? ["`hugo update` installs the wanted versions."] : []),
    ...(others.length > 0
      ? [`\`hugo adopt\` lets \`hugo update\` update what Hugo does not manage: ${others.join(", ")}.`]
      : []),
  ];
}

/** Whether `hugo update` would install something. */
function isUpdatable(workflow: WorkflowFreshness): boolean {
  const { unmanaged, newDependencies, changed, republished, wanted, installed } = workflow;
  if (unmanaged) return false;
  return changed || (newDependencies && !republished) || (wanted !== undefined && wanted !== installed);
}

/** Refuses a plugin that a config lists, but of which there is no version to compare. */
function refuseUncompared({ name, version, adoption }: UnmanagedEntry): void {
  if (version !== undefined && !("problem" in adoption)) return;
  const why = "problem" in adoption ? adoption.problem : "OpenCode has not fetched it yet";
  throw new HugoError("not-installed", {
    message: `${name} has no version to compare: ${why}`,
    hint: "Hugo does not manage it; `hugo list` shows what it manages.",
  });
}

interface AskedPackage
  extends Pick<LockedWorkflow, "package" | "source" | "version" | "integrity" | "tree" | "dependencies"> {
  readonly name: string;
  readonly unmanaged?: true;
}

/** Enough to be quick, and few enough not to look like an attack. */
const AT_ONCE = 6;

const columns: readonly Column[] = [
  { title: "Name" },
  { title: "Installed" },
  { title: "Wanted" },
  { title: "Latest" },
  { title: "Source", least: 10 },
];

/** A different version of it or of what it needs exists, whether or not `hugo update` would install it. */
function isOutdated(workflow: WorkflowFreshness): boolean {
  const { installed, wanted, latest, newDependencies, changed, republished } = workflow;
  if (newDependencies || changed || republished) return true;
  return (wanted !== undefined && wanted !== installed) || (latest !== undefined && latest !== installed);
}

/** How an installed workflow compares with its source. */
interface Freshness {
  readonly installed: string;
  /** What `hugo update` would install; missing if unknown. */
  readonly wanted?: string;
  /** The newest version, whatever range was requested. */
  readonly latest?: string;
  /** `hugo update` would install other releases of what it needs; the notices name them. */
  readonly newDependencies?: true;
  /** The folder or tarball has the installed version, but with other content. */
  readonly changed?: true;
  /** The registry now has other bytes for the installed version. */
  readonly republished?: true;
  /** Such as a version that is too new, or a package that is gone. */
  readonly notices: readonly string[];
  /** Why nothing is known, and what to do about it. */
  readonly problem?: string;
  readonly hint?: string;
}

/** The source with no version, range, tag or ref; undefined if it has none. */
function withoutVersion(spec: string): string | undefined {
  const source = parsePackageSpec(spec);
  const open = source.kind === "registry" ? source.name : source.kind === "git" ? addressOf(source) : spec;
  return open === spec ? undefined : open;
}

/** Compares what a plugin needs with what the registry has now. After a clone, what it needs is not known yet. */
async function withDependencies(
  { name, package: packageName, version, dependencies: locked }: AskedPackage,
  freshness: Freshness,
  snapshot: WorkspaceSnapshot,
  context: Context,
  rule: AgeRule,
): Promise<Freshness> {
  if (locked === undefined) return freshness;
  const uncompared = "Its dependencies could not be compared with the registry's";
  const tree = snapshot.storedTree(name);
  if (tree === undefined) {
    const problem = `${uncompared}, because its package is missing here`;
    return { ...freshness, problem, hint: "Run `hugo ci` first: it fetches what is missing." };
  }
  const { newestDependencies } = await import("../sources/dependencies/fetch-dependencies.ts");
  try {
    const manifest = objectOrEmpty(JSON.parse(textOf(tree, "package.json") ?? "{}"));
    const newest = await newestDependencies({ name: packageName, version, manifest }, context, locked, rule);
    const notices = describeDependencies(name, locked, newest);
    if (notices.length === 0) return freshness;
    return { ...freshness, newDependencies: true, notices: [...freshness.notices, ...notices] };
  } catch (error) {
    if (!(error instanceof HugoError)) throw error;
    return { ...freshness, problem: `${uncompared}: ${error.message}`, hint: error.hint };
  }
}

/** Asks the source; being unreachable is an answer, too. */
async function freshnessOf(
  workflow: AskedPackage,
  place: WorkspacePlace,
  context: Context,
  rule: AgeRule,
): Promise<Freshness> {
  const installed = workflow.version;
  const { source } = lockedRequest(workflow, place);
  try {
    switch (source.kind) {
      case "registry": {
        const known = await registryVersions(source.name, context);
        const freshness = ofRegistry(installed, source, known, rule);
        const { integrity, name } = workflow;
        if (integrity === undefined || !contradicts(known.release(installed)?.integrity, integrity)) return freshness;
        const again = `${name} ${versionLabel(installed)} was published again with different content`;
        const look = `Review it first: \`hugo info ${source.name}@${installed}\``;
        const notice =
          freshness.wanted === installed ? `${again}, so \`hugo update\` refuses it. ${look}` : `${again}.`;
        return { ...freshness, republished: true, notices: [...freshness.notices, notice] };
      }
      case "git": {
        const wanted = await latestCommit(source, context);
        const whole = { kind: "git", url: source.url } as const;
        const latest = source.ref === undefined ? wanted : await latestCommit(whole, context);
        const { folder } = source;
        if (folder === undefined) return { installed, wanted, latest, notices: [] };
        // Commits that do not touch the folder are not news about it.
        const known = new Map([[installed, installed]]);
        for (const commit of [wanted, latest]) {
          if (known.has(commit)) continue;
          const isSame = await isFolderSame({ ...source, folder }, [installed, commit], context);
          known.set(commit, isSame ? installed : commit);
        }
        return { installed, wanted: known.get(wanted)!, latest: known.get(latest)!, notices: [] };
      }
      case "file": {
        // OpenCode loads it from there.
        if (workflow.unmanaged) return { installed, notices: [] };
        const { version, tree } = await contentNow(source, context);
        const freshness = { installed, wanted: version, latest: version, notices: [] };
        if (version !== installed || workflow.tree === undefined || tree === workflow.tree) return freshness;
        const notice = `${workflow.name} ${versionLabel(installed)} has different content in ${workflow.source} now.`;
        return { ...freshness, changed: true, notices: [notice] };
      }
    }
  } catch (error) {
    if (!(error instanceof HugoError)) throw error;
    return { installed, notices: [], problem: error.message, hint: error.hint };
  }
}

/** What an update would install from this machine: read as it would be fetched, because not every file is part of a package. */
async function contentNow(source: FileSource, context: Context): Promise<{ version: string; tree: Hash }> {
  const { fetchPackage } = await import("../sources/fetch-package.ts");
  const into = temporaryFolder();
  try {
    const { folder, version } = await fetchPackage(source, { context, into });
    return { version, tree: hashTree(readPackageTree(folder)) };
  } finally {
    removeTree(into);
  }
}

function ofRegistry(installed: string, source: RegistrySource, known: Packument, rule: AgeRule): Freshness {
  const latest = known.tags.get("latest");
  const about = { installed, ...(latest !== undefined && { latest }) };
  try {
    const { version, notices } = chooseVersion(known, source.wanted, rule);
    // The installed version may already be newer than the minimum age allows: an update does not downgrade it.
    const isBehind = compareVersions(version, installed) < 0 && known.versions.includes(installed);
    return { ...about, wanted: isBehind ? installed : version, notices: isBehind ? [] : notices };
  } catch (error) {
    if (!(error instanceof HugoError)) throw error;
    // Then an update installs nothing.
    const isTooNew = error.code === "release-too-new";
    return { ...about, ...(isTooNew && { wanted: installed }), notices: [error.message] };
  }
}

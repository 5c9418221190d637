import type { Hash } from "@atomic/durable-files/files/hash";
import { count } from "@atomic/terminal/count";
import { formatMessage } from "@atomic/terminal/failure";
import { withRunner } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { shellWord } from "@atomic/terminal/shell-words";
import { didYouMean } from "@atomic/terminal/suggest";
import { paragraph } from "@atomic/terminal/wrap";
import type { Permission } from "@atomic/workflows/internal/permission/rules";
import { chooseName, installedAs } from "../delivery/decide.ts";
import type { StoppedFile, TranslationNote } from "../delivery/translate/package-translation.ts";
import { agentLimit } from "../delivery/user-permission.ts";
import { HugoError } from "../errors.ts";
import type { Capability } from "../packages/capability.ts";
import { registersLabel, sizeLabel, versionLabel } from "../packages/labels.ts";
import type { Manifest } from "../packages/manifest.ts";
import { type ContentNames, namesIn, withoutStopped } from "../packages/resolved-package.ts";
import { isCollection, selectContents, selectionIn } from "../packages/selection.ts";
import { type Candidate, capabilitiesOf, type InstallTerms, readCandidate } from "../trust/candidate.ts";
import type { Collision } from "../trust/collisions.ts";
import { collisionsOf } from "../trust/existing-claims.ts";
import { fetchCandidate } from "../trust/fetch-candidate.ts";
import { lockedTerms, readLocked, storedIfSame } from "../trust/installed-version.ts";
import { leftBehind } from "../trust/left-behind.ts";
import { previewChange } from "../workspace/change.ts";
import { placeFor } from "../workspace/place.ts";
import { lockedRequest, requestOf, settleSpec, typedSource } from "../workspace/request.ts";
import { readSettings } from "../workspace/settings.ts";
import type { Workspace, WorkspaceSnapshot } from "../workspace/snapshot.ts";
import { reportedCapabilities } from "./shared/capabilities.ts";
import { type CollectionOffers, formatOffers, offersOf } from "./shared/collection-offers.ts";
import { translationWarnings } from "./shared/file-outcomes.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";
import { errorOf, type Failed, failureOf, summaryNotes, warning } from "./shared/notes.ts";
import { formatPairs, type Pair } from "./shared/pairs.ts";

const args = {
  spec: { count: "one", summary: "A package spec or the name of an installed workflow" },
} as const;

const options = {
  allowNew: { kind: "flag", summary: "Accept a recently published version" },
  details: { kind: "flag", summary: "List every capability instead of a summary" },
  select: { kind: "text", value: "names", summary: "Only these parts of a collection, as with `hugo install`" },
} as const;

interface InfoResult extends Description {
  readonly source: string;
  /** The same for a shell in the current folder. */
  readonly typedSource: string;
  /** Missing if it is not installed. */
  readonly installed?: { readonly version: string; readonly enabled: boolean };
  readonly notices: readonly string[];
  /** What users can choose from, if it is a collection and they have not chosen yet. */
  readonly offers?: CollectionOffers;
  /** The user wants to see each capability. */
  readonly isDetailed: boolean;
}

export const info: HugoCommand<typeof args, typeof options, InfoResult> = {
  name: "info",
  summary: "Show what a package contains and can do",
  arguments: args,
  options,
  examples: [
    {
      command: "hugo info @some-org/code-review",
      shows: "contents, capabilities and name collisions, without writing anything",
    },
    { command: "hugo info code-review", shows: "the same for an installed workflow" },
    { command: "hugo info github:org/skills --select pdf", shows: "the same for one skill of a collection" },
  ],
  mutates: false,
  run: async (context, { spec, global, allowNew, details: isDetailed, select }) => {
    const place = placeFor(context, { global });
    return await previewChange(place, async (workspace) => {
      const { workflows } = workspace.lock;
      // By its own name or its package's; with a version, it means the package.
      const name = workflows.has(spec) ? spec : [...workflows].find(([, each]) => each.package === spec)?.[0];
      const locked = name === undefined ? undefined : workflows.get(name);
      if (name !== undefined && locked !== undefined) {
        const { package: packageName, version, integrity } = locked;
        const tree = storedIfSame(workspace, name, locked);
        const whole =
          tree === undefined
            ? await readLocked(context, workspace, name, locked)
            : readCandidate(
                { packageName, version, ...(integrity !== undefined && { integrity }) },
                tree,
                lockedTerms(name, locked),
              );
        const candidate = selectContents(whole, locked.selection);
        const limit = locked.delivery.kind === "copy" ? (locked.delivery.permission ?? {}) : {};
        return { result: infoOf(workspace, candidate, { source: locked.source, notices: [], limit, isDetailed }) };
      }
      const request = requestOf(await settleSpec(spec, context), context, place);
      const terms = (): InstallTerms => readSettings(place);
      const options = { context, workspace, allowNew, dependencies: "none", terms } as const;
      try {
        return await fetchCandidate(request, options, async ({ candidate: whole, notices }) => {
          const { recorded: source } = request;
          if (select === undefined && isCollection(whole.manifest)) {
            const about = { source, notices, isDetailed, offers: offersOf(whole) };
            return { result: infoOf(workspace, whole, about) };
          }
          const selection = select === undefined ? undefined : selectionIn(select, whole, typedSource(place, source));
          const candidate = selectContents(whole, selection);
          const about = { source, notices: [...notices, ...leftBehind(candidate, selection)], isDetailed };
          return { result: infoOf(workspace, candidate, about) };
        });
      } catch (error) {
        if (!(error instanceof HugoError) || error.code !== "package-not-found") throw error;
        // It may be a misspelled installed workflow.
        const [similar] = didYouMean(spec, workflows.keys());
        if (similar === undefined) throw error;
        const { code, message, at, parts, cause } = error;
        const hint = `Did you mean the installed workflow ${similar}? ${error.hint}`;
        throw new HugoError(code, { message, at, hint, parts, cause });
      }
    });
  },
  report: {
    text: (info, page) => {
      const paint = painter(page.colour);
      const title = paint("bold", safe`${info.name} ${versionLabel(info.version)}`);
      const how =
        info.delivery.kind === "copy"
          ? "copied to OpenCode's folders"
          : `a plugin that OpenCode loads (${[info.delivery.entry, info.delivery.tui].filter(Boolean).join(", ")})`;
      const from = listedIn[info.manifest];
      const facts: readonly (readonly [string, string])[] = [
        ["about", info.description ?? ""],
        ["package", info.package],
        ["source", info.source === info.package ? "" : info.source],
        ["version", versionLabel(info.version) === `v${info.version}` ? "" : info.version],
        ["content", info.hash],
        ["integrity", info.integrity ?? ""],
        [
          "installed",
          info.installed === undefined
            ? "no"
            : `${versionLabel(info.installed.version)}, ${info.installed.enabled ? "enabled" : "disabled"}`,
        ],
        ["delivery", info.manifest === "opencode-plugin" ? how : `${how}, contents from ${from}`],
        ["contains", info.offers === undefined ? "" : info.offers.amounts],
        ["agents", info.offers === undefined ? info.agents.join(", ") : ""],
        ["commands", info.offers === undefined ? info.commands.map((name) => `/${name}`).join(", ") : ""],
        ["skills", info.offers === undefined ? info.skills.join(", ") : ""],
        ["workflows", info.workflows?.join(", ") ?? ""],
        ["size", `${count(info.files, "file")}, ${sizeLabel(info.bytes)}`],
      ];
      const known = facts.filter(([, value]) => value !== "");
      const lead = "  ";
      const pairs = known.map(
        ([name, value]): Pair => ({ lead, subject: name, subjectColour: "dim", text: safeLine(value) }),
      );
      const head = paragraph(title, page, { indent: "  " }) + formatPairs(pairs, page);
      if (info.offers !== undefined) return head + formatOffers(info.offers, page);
      return `${head}${reportedCapabilities(info.capabilities, { isMore: false, isDetailed: info.isDetailed }, page)}`;
    },
    notes: (info, page) => {
      const { problem, offers, typedSource: source } = info;
      if (offers !== undefined) {
        const name = shellWord(offers.parts[0]?.name ?? "name");
        const next = [
          safe`What a part can do: hugo info ${source} --select ${name}`,
          safe`To install parts:   hugo install ${source} --select ${name}`,
        ];
        return (
          summaryNotes({ dryRun: false, notices: info.notices }, page).join("") +
          next.map((line) => `${withRunner(line, "hugo", page)}\n`).join("")
        );
      }
      const lead = `${painter(page.colour)("yellow", "Warning:")} It cannot be installed: `;
      return [
        ...(problem === undefined
          ? []
          : [
              formatMessage(problem, page, lead),
              paragraph(safeLine(problem.hint), page, { lead: "  ", indent: "    " }),
            ]),
        ...info.collisions.map(({ message }) => warning(message, page)),
        translationWarnings(info, page),
        ...summaryNotes({ dryRun: false, notices: info.notices }, page),
      ].join("");
    },
    json: ({ isDetailed, typedSource, ...result }) => result,
    exitCode: ({ problem }) => problem?.exitCode ?? 0,
    error: ({ problem }) => errorOf(problem === undefined ? [] : [problem], "cannot be installed"),
  },
};

/** Where a package's contents are listed, in people's words. */
const listedIn: Readonly<Record<Manifest["from"], string>> = {
  "workflow.json": "workflow.json",
  "hugo-workflow.json": "hugo-workflow.json",
  marketplace: "its marketplace.json",
  "claude-plugin": "its plugin.json and folders",
  folders: "its folders",
  "plugin-folders": "its plugins' folders",
  "opencode-plugin": "",
};

function infoOf(
  workspace: Workspace,
  candidate: Candidate,
  {
    source,
    notices,
    isDetailed,
    offers,
    limit,
  }: Pick<InfoResult, "source" | "notices" | "isDetailed" | "offers"> & {
    readonly limit?: Permission;
  },
): InfoResult {
  const { lock, place } = workspace;
  const name = installedAs(lock, place, lockedRequest({ source }, place));
  const there = name === undefined ? undefined : lock.workflows.get(name);
  const described = describeCandidate(workspace, candidate, { source, limit, isOffer: offers !== undefined });
  // OpenCode was asked about exactly this code when it was installed.
  const registers = there?.tree === candidate.hash ? there?.registers : undefined;
  return {
    ...described,
    capabilities: described.capabilities.map((each) =>
      each.kind === "registers" && registers !== undefined ? { ...each, detail: registersLabel(registers) } : each,
    ),
    source,
    typedSource: typedSource(place, source),
    ...(offers !== undefined && { offers }),
    ...(name !== undefined &&
      there !== undefined && { installed: { version: there.version, enabled: workspace.isEnabled(name) } }),
    notices: [...workspace.notices, ...notices],
    isDetailed,
  };
}

/** Everything that is known about a package before it is installed. */
interface Description extends ContentNames {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly integrity?: string;
  readonly hash: Hash;
  readonly description?: string;
  /** Where its contents are listed. */
  readonly manifest: Manifest["from"];
  readonly delivery: Manifest["delivery"];
  readonly files: number;
  readonly bytes: number;
  readonly capabilities: readonly Capability[];
  readonly collisions: readonly Collision[];
  readonly translated: readonly TranslationNote[];
  readonly stopped: readonly StoppedFile[];
  /** Why it could not be installed as it is. */
  readonly problem?: Failed;
}

interface DescriptionOptions {
  readonly source: string;
  /** The permissions its agents were limited to if it is installed; otherwise the user's current ones. */
  readonly limit: Permission | undefined;
  /** What it can do and what it would be called depends on what users choose. */
  readonly isOffer: boolean;
}

function describeCandidate(
  snapshot: WorkspaceSnapshot,
  candidate: Candidate,
  { source, limit, isOffer }: DescriptionOptions,
): Description {
  const would = isOffer
    ? { capabilities: [], translated: [], stopped: [] }
    : whatWouldArrive(snapshot, candidate, source, limit);
  const deliverable = withoutStopped(candidate, would.stopped);
  const { workflow, packageName, version, integrity, hash, tree, manifest } = deliverable;
  const { description } = manifest.package;
  return {
    name: workflow,
    package: packageName,
    version,
    ...(integrity !== undefined && { integrity }),
    hash,
    ...(description !== undefined && { description }),
    manifest: manifest.from,
    delivery: manifest.delivery,
    ...namesIn(manifest),
    files: tree.size,
    bytes: [...tree.values()].reduce((sum, { bytes }) => sum + bytes.byteLength, 0),
    collisions: isOffer ? [] : collisionsOf(snapshot, deliverable),
    ...would,
  };
}

function whatWouldArrive(
  snapshot: WorkspaceSnapshot,
  candidate: Candidate,
  source: string,
  heldTo: Permission | undefined,
): Pick<Description, "capabilities" | "translated" | "stopped" | "problem"> {
  try {
    const { packageName } = candidate;
    chooseName(snapshot, lockedRequest({ source }, snapshot.place), { packageName }, { force: true, replace: false });
    const isPlugin = candidate.manifest.delivery.kind === "plugin";
    if (isPlugin) return { capabilities: capabilitiesOf(candidate).list, translated: [], stopped: [] };
    const limit = heldTo ?? agentLimit(snapshot, candidate);
    const { notes, stopped } = candidate.translation.deliver(limit, candidate.manifest);
    return { capabilities: capabilitiesOf(candidate, limit).list, translated: notes, stopped };
  } catch (error) {
    // Before installing, the user wants to see this together with the rest.
    if (!(error instanceof HugoError)) throw error;
    const capabilities = capabilitiesOf(candidate).list;
    return { capabilities, translated: [], stopped: [], problem: failureOf(candidate.workflow, error) };
  }
}

// What installing or updating a package changes. Touches no disk.

import { shellWord } from "@atomic/terminal/shell-words";
import type { LockedDelivery } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { partsIn } from "../packages/manifest.ts";
import { lockEntryOf, withoutStopped } from "../packages/resolved-package.ts";
import { workflowNameOf } from "../packages/workflow-name.ts";
import { parsePackageSpec } from "../sources/spec.ts";
import type { DraftView } from "../workspace/draft.ts";
import { inScope } from "../workspace/place.ts";
import { commandFor, lockedRequest, originOf, type Request } from "../workspace/request.ts";
import { type CopyDelivery, type CopyOptions, deliverCopy, deliverParkedCopy, withdrawCopy } from "./copy-delivery.ts";
import type { DeliveryDecision } from "./decision.ts";
import { type ChangedArrays, deliverPlugin, type PluginOptions, withdrawPlugin } from "./plugin-delivery.ts";
import type { TranslatedPackage } from "./translate/package-translation.ts";

export interface DeliveryOptions extends PluginOptions, Omit<CopyOptions, "recorded" | "parked"> {
  /** What was requested, as the lock records it. */
  readonly source: string;
  /** The selected contents, see `selectContents`; the whole package if missing. */
  readonly selection?: readonly string[];
  /** See `withPrefix`. */
  readonly prefix?: string | undefined;
}

/** The name of the workflow that came from the same source, whatever version of it. */
export function installedAs(
  { workflows }: Pick<DraftView["lock"], "workflows">,
  place: DraftView["place"],
  request: Pick<Request, "source">,
): string | undefined {
  const origin = originOf(request);
  return [...workflows].find(([, each]) => originOf(lockedRequest(each, place)) === origin)?.[0];
}

/** A package that is about to be installed. */
export interface Newcomer {
  /** The name that the user wants for it; otherwise its package's. */
  readonly name?: string | undefined;
  readonly packageName: string;
}

/** What the user typed; a suggested command repeats it. */
interface NamingOptions {
  readonly force: boolean;
  readonly replace: boolean;
  readonly select?: string | undefined;
  readonly prefix?: string | undefined;
}

/**
 * The name under which a package is installed. Its source decides whether it is there already, not its name: refuses a name
 * that belongs to a workflow from somewhere else, whatever `force` says.
 */
export function chooseName(
  { lock, place }: Pick<DraftView, "lock" | "place">,
  request: Request,
  { name: wanted, packageName }: Newcomer,
  { force, replace, select, prefix }: NamingOptions,
): string {
  const known = installedAs(lock, place, request);
  const there = lock.workflows.get(known ?? "");
  const typed = (selected: string | undefined, ...more: string[]): string =>
    [
      ...(selected === undefined ? [] : [`--select ${shellWord(selected)}`]),
      ...(prefix === undefined ? [] : [`--prefix ${shellWord(prefix)}`]),
      ...more,
    ].join(" ");
  if (known !== undefined && there !== undefined) {
    if (wanted !== undefined && wanted !== known) {
      throw new HugoError("already-installed", {
        message: `${request.recorded} is already installed as "${known}"`,
        hint: inScope(place, `To rename it, remove it first: \`hugo remove ${known}\`. Nothing was changed.`),
      });
    }
    if (force || replace) return known;
    // An update never replaces a version that was requested exactly.
    const parsed = parsePackageSpec(there.source);
    const isExact = parsed.kind === "registry" && parsed.wanted.kind === "version";
    const isPrecise = ![there.source, there.package].includes(request.recorded);
    const newer = isExact ? commandFor(place, "install --force", there.package) : `\`hugo update ${known}\``;
    const change = isPrecise
      ? `To install ${request.recorded} instead: ${commandFor(place, "install --force", request.recorded)}`
      : `To get a newer version: ${newer}`;
    const otherwise = (selected: string | undefined): string =>
      commandFor(place, "install --force", request.recorded, typed(selected));
    const kept = there.delivery.kind === "copy" ? there.delivery.prefix : undefined;
    // Users select by the package's own names.
    const selection = there.selection?.map((path) => (kept === undefined ? path : path.replace(`/${kept}-`, "/")));
    const isAdding = select !== undefined && selection !== undefined;
    const hint =
      typed(select) === ""
        ? `${change}. To reinstall it: ${commandFor(place, "install --force", there.source)}.`
        : `To install it with these options instead: ${otherwise(select)}.${
            isAdding ? ` To add to what you have selected: ${otherwise([...selection, select].join())}.` : ""
          }`;
    throw new HugoError("already-installed", {
      message: `Workflow "${known}" is already installed: ${there.version} from ${there.source}`,
      hint: inScope(place, hint),
    });
  }
  const name = wanted ?? workflowNameOf(packageName);
  const other = lock.workflows.get(name);
  if (other === undefined || replace) return name;
  const from = other.package === packageName ? other.source : `package "${other.package}"`;
  const again = (more: string): string => commandFor(place, "install", request.recorded, typed(select, more));
  const hint = `To have both: ${again(`--as ${freeName(lock, request, name)}`)}. To use this one instead: ${again("--replace")}. Nothing was changed.`;
  throw new HugoError("name-taken", {
    message: `Workflow name "${name}" conflicts with already-installed workflow from ${from}.`,
    hint: inScope(place, hint),
  });
}

/** A name that tells the newcomer from the workflow that has its name: `acme-skills` for `github:acme/skills`. */
function freeName({ workflows }: Pick<DraftView["lock"], "workflows">, { source }: Request, name: string): string {
  const parts = originOf({ source }).split(/[/:]+/);
  const owner = (parts.findLast((part, index) => index < parts.length - 1 && /[a-z]/i.test(part)) ?? "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  const better = owner === "" || owner === name || owner === "github" ? name : `${owner}-${name}`;
  if (better !== name && !workflows.has(better)) return better;
  let number = 2;
  while (workflows.has(`${better}-${number}`)) number += 1;
  return `${better}-${number}`;
}

/** A package may have become a plugin or may have been one: what its former delivery left is removed. */
export function decide(view: DraftView, resolved: TranslatedPackage, options: DeliveryOptions): DeliveryDecision {
  const before = view.lock.workflows.get(resolved.workflow)?.delivery;
  let delivery: LockedDelivery;
  let arrays: ChangedArrays | undefined;
  let copies: CopyDelivery | undefined;
  if (resolved.manifest.delivery.kind === "plugin") {
    const parts = options.parts ?? partsIn(resolved.manifest.delivery);
    ({ delivery, ...arrays } = deliverPlugin(view, resolved.workflow, { ...options, parts }));
    if (before?.kind === "copy") copies = withdrawCopy(view, resolved.workflow, before);
  } else {
    const recorded = before?.kind === "copy" ? before.files : new Map();
    const isParked = before?.kind === "copy" && before.parked;
    const parked = !options.isEnabled;
    const deliver = isParked && options.isEnabled ? deliverParkedCopy : deliverCopy;
    copies = deliver(view, resolved, { ...options, recorded, parked });
    if (before?.kind === "plugin") arrays = withdrawPlugin(view, options.target);
    const { permission, models, records: files } = copies;
    const { prefix } = options;
    delivery = {
      kind: "copy",
      parked,
      ...(permission !== undefined && { permission }),
      ...(prefix !== undefined && { prefix }),
      ...(models !== undefined && { models }),
      files,
    };
  }
  const locked = lockEntryOf(withoutStopped(resolved, copies?.stopped ?? []), { ...options, delivery });
  return {
    lock: {
      workflows: new Map([...view.lock.workflows, [resolved.workflow, locked]]),
      configs: arrays?.made ?? view.lock.configs,
    },
    configs: arrays?.configs ?? new Map(),
    files: copies?.files ?? [],
    bases: copies?.bases ?? [],
    steps: copies?.steps ?? [],
    notes: copies?.notes ?? [],
    stopped: copies?.stopped ?? [],
  };
}

import { didYouMean } from "@atomic/terminal/suggest";
import type { Lock, LockedWorkflow } from "@atomic/workflows/hugo-lock/lock";
import type { Permission } from "@atomic/workflows/permission/rules";
import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import { readLocked, storedIfSame } from "../trust/before.ts";
import { type Candidate, readCandidate } from "../trust/candidate.ts";
import { fetchCandidate } from "../trust/fetch-candidate.ts";
import { rehearse } from "../workspace/change.ts";
import { placeFor } from "../workspace/place.ts";
import { requestOf } from "../workspace/request.ts";
import type { Workspace } from "../workspace/snapshot.ts";
import { infoReport } from "./report/info.ts";
import { type Description, describeCandidate } from "./shared/description.ts";
import type { InputOf, Operation } from "./shared/operation.ts";

const args = {
  spec: { count: "one", summary: "A package, as for install, or the name of an installed workflow" },
} as const;

const options = {
  allowNew: { kind: "flag", summary: "Accept a version that was published only a short while ago" },
} as const;

export interface InfoResult extends Description {
  readonly source: string;
  /** What of it is installed; missing if nothing is. */
  readonly installed?: { readonly version: string; readonly enabled: boolean };
  readonly notices: readonly string[];
}

export const info: Operation<typeof args, typeof options, InfoResult> = {
  name: "info",
  summary: "Show what a package contains and can do",
  arguments: args,
  options,
  examples: [
    { command: "hugo info @some-org/code-review", shows: "contents, capabilities and collisions; nothing is written" },
    { command: "hugo info code-review", shows: "the same for an installed workflow" },
  ],
  mutates: false,
  run,
  report: infoReport,
};

async function run(
  context: Context,
  { spec, global, allowNew }: InputOf<typeof args, typeof options>,
): Promise<InfoResult> {
  const place = placeFor(context, { global });
  return await rehearse(place, async (workspace) => {
    const name = installedAs(workspace.lock, spec);
    const locked = name === undefined ? undefined : workspace.lock.workflows.get(name);
    if (name !== undefined && locked !== undefined) {
      const candidate = await installedPackage(context, workspace, name, locked);
      const limit = locked.delivery.kind === "copy" ? (locked.delivery.permission ?? {}) : {};
      return { result: infoOf(workspace, candidate, { source: locked.source, notices: [], limit }) };
    }
    const request = requestOf(spec, context, place);
    const options = { context, workspace, allowNew, dependencies: false };
    try {
      return await fetchCandidate(request, options, async ({ candidate, notices }) => ({
        result: infoOf(workspace, candidate, { source: request.recorded, notices }),
      }));
    } catch (error) {
      throw withSuggestion(error, spec, workspace.lock);
    }
  });
}

/** What no registry has may be an installed workflow with a slip in its name. */
function withSuggestion(error: unknown, spec: string, { workflows }: Lock): unknown {
  if (!(error instanceof HugoError) || error.code !== "package-not-found") return error;
  const [similar] = didYouMean(spec, workflows.keys());
  if (similar === undefined) return error;
  const { code, message, at, hint, parts } = error;
  const better = `Did you mean the installed workflow ${similar}? ${hint}`;
  return new HugoError(code, { message, ...(at !== undefined && { at }), hint: better, parts, cause: error.cause });
}

/** By its name or its package's; a version behind it asks for the package. */
function installedAs({ workflows }: Lock, spec: string): string | undefined {
  if (workflows.has(spec)) return spec;
  return [...workflows].find(([, workflow]) => workflow.package === spec)?.[0];
}

async function installedPackage(
  context: Context,
  workspace: Workspace,
  name: string,
  locked: LockedWorkflow,
): Promise<Candidate> {
  const tree = storedIfSame(workspace, name, locked);
  if (tree !== undefined) {
    const { package: packageName, version, integrity } = locked;
    return readCandidate({ packageName, version, ...(integrity !== undefined && { integrity }) }, tree);
  }
  return await readLocked(context, workspace, locked);
}

function infoOf(
  workspace: Workspace,
  candidate: Candidate,
  { source, notices, limit }: Pick<InfoResult, "source" | "notices"> & { readonly limit?: Permission },
): InfoResult {
  const { workflow, packageName } = candidate;
  const there = workspace.lock.workflows.get(workflow);
  return {
    ...describeCandidate(workspace, candidate, limit),
    source,
    ...(there?.package === packageName && {
      installed: { version: there.version, enabled: workspace.isEnabled(workflow) },
    }),
    notices: [...workspace.notices, ...notices],
  };
}

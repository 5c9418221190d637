import type { LockedWorkflow } from "@atomic/workflows/hugo-lock/lock";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import type { RegistryVersions } from "../../sources/fetched.ts";
import { latestCommit } from "../../sources/latest-commit.ts";
import { minimumReleaseAge } from "../../sources/limits.ts";
import type { GitSource, RegistrySource } from "../../sources/package-source.ts";
import { type AgeRule, chooseVersion } from "../../sources/registry/choose-version.ts";
import { compareVersions } from "../../sources/registry/version.ts";
import { registryVersions } from "../../sources/registry-versions.ts";
import { parsePackageSpec } from "../../sources/spec.ts";

/** How an installed workflow compares with what its source has. */
export interface Freshness {
  readonly installed: string;
  /** What `hugo update` would take; missing if nobody can say. */
  readonly wanted?: string;
  /** The newest there is, whatever was asked for. */
  readonly latest?: string;
  /** What else is to be said: a version that is too new, a package that is gone. */
  readonly notices: readonly string[];
  /** Why nothing is known. */
  readonly problem?: string;
}

/** Asks the source; that it cannot be reached is an answer too. */
export async function freshnessOf(workflow: LockedWorkflow, context: Context, now: number): Promise<Freshness> {
  const installed = workflow.version;
  const source = parsePackageSpec(workflow.source);
  try {
    switch (source.kind) {
      case "registry": {
        const rule = { now, minimumAge: minimumReleaseAge(context.env) };
        return ofRegistry(installed, source, await registryVersions(source.name, context), rule);
      }
      case "git":
        return await ofGit(installed, source, context);
      case "file":
        return { installed, notices: [] };
    }
  } catch (error) {
    if (!(error instanceof HugoError)) throw error;
    return { installed, notices: [], problem: error.message };
  }
}

function ofRegistry(installed: string, source: RegistrySource, known: RegistryVersions, rule: AgeRule): Freshness {
  const latest = known.tags.get("latest");
  const about = { installed, ...(latest !== undefined && { latest }) };
  try {
    const { version, notices } = chooseVersion(known, source.wanted, rule);
    // Somebody has taken a version already that is younger than usual: an update does not go back.
    const isBehind = compareVersions(version, installed) < 0 && known.versions.includes(installed);
    return { ...about, wanted: isBehind ? installed : version, notices: isBehind ? [] : notices };
  } catch (error) {
    if (!(error instanceof HugoError)) throw error;
    // Then an update takes nothing.
    const isTooNew = error.code === "release-too-new";
    return { ...about, ...(isTooNew && { wanted: installed }), notices: [error.message] };
  }
}

async function ofGit(installed: string, source: GitSource, context: Context): Promise<Freshness> {
  const wanted = await latestCommit(source, context);
  const latest = source.ref === undefined ? wanted : await latestCommit({ kind: "git", url: source.url }, context);
  return { installed, wanted, latest, notices: [] };
}

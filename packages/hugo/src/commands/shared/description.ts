import type { Hash } from "@atomic/durable-files/files/hash";
import type { Permission } from "@atomic/workflows/permission/rules";
import { refuseInstalled } from "../../delivery/decide.ts";
import type { StoppedFile, TranslationNote } from "../../delivery/translate/delivery.ts";
import { filesToDeliver } from "../../delivery/translate/files-to-deliver.ts";
import { agentLimit } from "../../delivery/user-permission.ts";
import { HugoError } from "../../errors.ts";
import type { Manifest } from "../../packages/manifest.ts";
import { type ContentNames, namesIn, withoutStopped } from "../../packages/resolved-package.ts";
import { type Candidate, capabilitiesUnder } from "../../trust/candidate.ts";
import type { Capability } from "../../trust/capabilities/capability.ts";
import { collisionsOf } from "../../trust/claims-around.ts";
import type { Collision } from "../../trust/collisions.ts";
import type { Snapshot } from "../../workspace/snapshot.ts";
import { type Failed, failureOf } from "./failed.ts";

/** All that can be said about a package before it is installed. */
export interface Description extends ContentNames {
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

/** @param limit What its agents were held to if it is installed; else what the user allows them today. */
export function describeCandidate(snapshot: Snapshot, candidate: Candidate, limit?: Permission): Description {
  const would = whatWouldArrive(snapshot, candidate, limit);
  const arriving = withoutStopped(candidate, would.stopped);
  const { workflow, packageName, version, integrity, hash, tree, manifest } = arriving;
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
    collisions: collisionsOf(snapshot, arriving),
    ...would,
  };
}

function whatWouldArrive(
  snapshot: Snapshot,
  candidate: Candidate,
  heldTo: Permission | undefined,
): Pick<Description, "capabilities" | "translated" | "stopped" | "problem"> {
  const capabilities = candidate.capabilities.list;
  try {
    refuseInstalled(snapshot, candidate, { force: true });
    if (candidate.manifest.delivery.kind === "plugin") return { capabilities, translated: [], stopped: [] };
    const limit = heldTo ?? agentLimit(snapshot, candidate);
    const { notes, stopped } = filesToDeliver(candidate.manifest, candidate.tree, undefined, { limit });
    return { capabilities: capabilitiesUnder(limit, candidate).list, translated: notes, stopped };
  } catch (error) {
    // Whoever asks before installing wants to hear it together with all the rest.
    if (!(error instanceof HugoError)) throw error;
    return { capabilities, translated: [], stopped: [], problem: failureOf(candidate.workflow, error) };
  }
}

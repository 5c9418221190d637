import { dirname, resolve } from "node:path";
import { HugoError } from "../../errors.ts";
import { type FileStatus, fileStates, placesOf } from "../../workspace/copied-files.ts";
import type { NamedEntry } from "../../workspace/draft.ts";
import { pinOf } from "../../workspace/pin.ts";
import { portablePath } from "../../workspace/place.ts";
import type { WorkspaceSnapshot } from "../../workspace/snapshot.ts";

interface EntryStatus extends NamedEntry {
  /** `modified` if it is not the locked version. */
  readonly state: "clean" | "modified";
  /** The expected entry; missing if unknown. */
  readonly pin?: string;
}

/** What every report says about a workflow. */
export interface ReportedWorkflow {
  readonly name: string;
  readonly package: string;
  readonly source: string;
  readonly version: string;
  readonly delivery: "plugin" | "copy";
}

export interface WorkflowStatus extends ReportedWorkflow {
  readonly enabled: boolean;
  /** Nothing of it was left out. */
  readonly complete: boolean;
  readonly files: readonly FileStatus[];
  readonly entries: readonly EntryStatus[];
}

export function statusOf(snapshot: WorkspaceSnapshot, name: string): WorkflowStatus {
  const workflow = snapshot.lock.workflows.get(name)!;
  const { package: packageName, source, version, delivery } = workflow;
  const isCopy = delivery.kind === "copy";
  const files = isCopy ? fileStates(name, delivery, snapshot.disk(placesOf(name, delivery))) : [];
  return {
    name,
    package: packageName,
    source,
    version,
    delivery: delivery.kind,
    enabled: snapshot.isEnabled(name),
    complete: files.every(({ state }) => state !== "skipped"),
    files,
    entries: isCopy
      ? []
      : snapshot.entriesOf(name).map(({ file, spec }) => {
          const { place } = snapshot;
          let pin: string | undefined;
          try {
            pin = pinOf(place, name, workflow, file);
          } catch (error) {
            // A workflow from an earlier design of Hugo has no package in the store.
            if (!(error instanceof HugoError) || error.code !== "not-installed") throw error;
          }
          // A path can be written in several ways.
          const isSamePath =
            pin !== undefined &&
            [spec, pin].every((each) => /^\.{0,2}\//.test(each)) &&
            resolve(dirname(file), spec) === resolve(dirname(file), pin);
          const isClean = spec === pin || isSamePath;
          return {
            file: portablePath(place, file),
            spec,
            state: isClean ? "clean" : "modified",
            ...(pin !== undefined && { pin }),
          };
        }),
  };
}

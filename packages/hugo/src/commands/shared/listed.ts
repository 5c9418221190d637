import { type Place, portablePath } from "../../workspace/place.ts";
import type { Installed, InstalledWorkflow } from "./installed.ts";

export interface ListedWorkflow extends Omit<InstalledWorkflow, "parked"> {
  readonly name: string;
  readonly enabled: boolean;
  /** How it stands in plugin arrays. */
  readonly entries: readonly { readonly file: string; readonly spec: string }[];
}

/** What `list` knows of a workflow. */
export function listedWorkflow(place: Place, installed: Installed, name: string): ListedWorkflow {
  const { parked, ...workflow } = installed.workflows.get(name)!;
  const entries = workflow.delivery === "plugin" ? installed.entriesOf(name) : [];
  return {
    name,
    ...workflow,
    enabled: workflow.delivery === "copy" ? !parked : entries.length > 0,
    entries: entries.map(({ file, spec }) => ({ file: portablePath(place, file), spec })),
  };
}

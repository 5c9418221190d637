import type { Draft } from "../workspace/draft.ts";
import { type LockedCopy, placesOf } from "../workspace/file-states.ts";
import type { planParking } from "../workspace/plan-parking.ts";

/** Parks the files of a workflow or brings them back, as planned. Gives the destinations of those that move. */
export function moveFiles(
  draft: Draft,
  name: string,
  plan: typeof planParking,
  { parked }: { parked: boolean },
): string[] {
  const workflow = draft.workflows.get(name)!;
  const delivery = workflow.delivery as LockedCopy;
  const steps = plan({
    workflow: name,
    recorded: delivery.files,
    disk: draft.files.disk(placesOf(name, delivery)),
    othersOf: (destination) => draft.othersUsing(destination, name),
  });
  draft.files.change(steps.flatMap(({ changes }) => changes));
  draft.workflows.set(name, { ...workflow, delivery: { ...delivery, parked } });
  return steps.filter(({ changes }) => changes.length > 0).map(({ destination }) => destination);
}

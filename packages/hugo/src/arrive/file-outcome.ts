import type { Step } from "../plan/step.ts";

/** What happened to a copied file, for results. */
export interface FileOutcome extends Pick<Step, "verdict" | "destination"> {
  readonly because?: Step["because"] & string;
}

export function outcomesOf(steps: readonly Step[]): FileOutcome[] {
  return steps.map(({ verdict, destination, because }) => ({
    verdict,
    destination,
    ...(because !== undefined && { because }),
  }));
}

/** Around the event with that number, which counts from 1. */
export interface KillPoint {
  readonly when: "before" | "after";
  readonly at: number;
}

export const orderName = "kill-at.json";
/** The order that was carried out. */
export const spentOrderName = "killed-at.json";

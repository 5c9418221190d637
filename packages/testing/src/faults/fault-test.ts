import { test } from "bun:test";
import { sweepTimeout } from "../faults.ts";
import { faultsAvailable } from "./run-traced.ts";

const availability = await faultsAvailable();

/** `test` for a body that injects faults. Where that is impossible it is skipped, and its name says why. */
export function faultTest(name: string, body: () => Promise<void>, timeout: number = sweepTimeout()): void {
  if (availability.available) test(name, body, timeout);
  else test.skip(`${name} (skipped: ${availability.reason})`, body);
}

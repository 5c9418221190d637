import { HugoError } from "../src/errors.ts";

/** The error that `act` ends with; anything but a `HugoError` fails the test. */
export function refusal(act: () => unknown): HugoError {
  try {
    act();
  } catch (error) {
    if (error instanceof HugoError) return error;
    throw error;
  }
  throw new Error("It was accepted, though it must be refused.");
}

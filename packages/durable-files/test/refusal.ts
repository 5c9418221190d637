import { DurableError } from "@atomic/durable-files/errors";

/** The DurableError that `attempt` ends with; anything else fails the test. */
export async function refusal(attempt: () => unknown): Promise<DurableError> {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof DurableError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

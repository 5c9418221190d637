// Calls of the agents of a run during which a program of theirs can be at work. OpenCode's port cannot tell a program from a
// person: such a program can type commands there.
import type { LiveRun } from "./live-run.ts";

export interface OpenCall {
  readonly run: string;
  readonly session: string;
  readonly agent: string;
  readonly tool: string;
}

export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();

  begin(id: string, call: OpenCall): void {
    this.#calls.set(keyOf(call.session, id), call);
  }

  end(session: string, id: string): void {
    this.#calls.delete(keyOf(session, id));
  }

  endAll(session: string): void {
    for (const [key, call] of this.#calls) if (call.session === session) this.#calls.delete(key);
  }

  /** One of this run if there is, else one of another. */
  find(run: string): OpenCall | undefined {
    const all = [...this.#calls.values()];
    return all.find((call) => call.run === run) ?? all[0];
  }
}

function keyOf(session: string, id: string): string {
  return `${session} ${id}`;
}

/** Why nobody can know that it was a person who did this, if an agent has its hands free. Its run pauses. */
export async function whyNotAPerson(calls: OpenCalls, run: LiveRun, what: string): Promise<string | undefined> {
  const call = calls.find(run.state.run);
  if (call === undefined) return undefined;
  const { agent, tool, session } = call;
  const came = `${what} came while ${agent || "an agent"} had the shell (${tool} in ${session})`;
  if (call.run !== run.state.run) {
    return `Nothing was recorded: ${came} for the run ${call.run}. Do it again when that is over; Esc there stops it.`;
  }
  await run.pause("command", came);
  return `Nothing was recorded: ${came}, and a program of an agent can type as a person does. The run is paused. When the agents have stopped (Esc stops them), type \`/magnus-resume\`, and then what you want.`;
}

// Agents start shell tools in sessions of their own and leave them behind when they are killed, so neither the process
// group nor the process tree finds them. What they cannot shed is the environment they were started with.
import { randomUUID } from "node:crypto";
import { OrphanGuard } from "./orphan-guard.ts";

/** A variable that tells who has started a process. Its name is unique, so that one process can bear several marks. */
export interface Mark {
  readonly env: Readonly<Record<string, string>>;
  /** `NAME=value`, as it stands in an environment. */
  readonly text: string;
}

export function newMark(): Mark {
  const name = `ATOMIC_TESTING_MARK_${randomUUID().replaceAll("-", "")}`;
  return { env: { [name]: "1" }, text: `${name}=1` };
}

/** Ends every process that bears the mark, and waits until they are gone. Needs Linux; elsewhere none is found. */
export async function endMarked(mark: Mark): Promise<void> {
  await new OrphanGuard({ mark: mark.text }).end();
}

export interface MarkedProcesses extends AsyncDisposable {
  /** Give it to what you start: everything that inherits it ends with us, however we end. */
  readonly env: Readonly<Record<string, string>>;
}

/** Needs Linux; elsewhere nothing is ended here, and the hosts' own way of stopping has to do. */
export async function markedProcesses(): Promise<MarkedProcesses> {
  const mark = newMark();
  const guard = new OrphanGuard({ mark: mark.text });
  return { env: mark.env, [Symbol.asyncDispose]: () => guard.end() };
}

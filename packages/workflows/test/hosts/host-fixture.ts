// What the contract suite needs to know of a host: how to make one, and how to script its model.
import { readdir, readFile } from "node:fs/promises";
import type { ModelGate } from "@atomic/testing/model/gate";
import type { Host, SessionOptions } from "../../src/hosts/host.ts";

export interface HostFixture extends AsyncDisposable {
  /** A new host object. All of them know the same sessions, as the processes of one machine do. */
  host(): Promise<Host>;
  /** What every session of the suite is made with. */
  readonly session: SessionOptions;
  readonly script: ModelScript;
  /** Whether a turn that is found again says what it used. If not, it cannot outlive the process that counts it. */
  readonly isUsageStored: boolean;
  /** An id as the host makes them, of a session that never was. */
  readonly unknownId: string;
  /** The names under which the model is offered two tools. */
  readonly tools: { readonly read: string; readonly write: string };
  /** A model besides the default one: as `SessionOptions` have it, and as the request has it. */
  readonly otherModel: { readonly option: string; readonly requested: string };
  /** Ids of all processes that hosts of this fixture have started and that are alive. */
  processes(): Promise<readonly number[]>;
}

/** What the model does with a prompt. Every prompt of the suite is unique in it. */
export interface ModelScript {
  /** With a gate, each chunk waits there. */
  says(prompt: string, text: string | readonly string[], options?: SayOptions): void;
  /** Calls the tool that writes a file, which the host asks a permission for, and then says something. */
  writes(prompt: string, file: WrittenFile, then: string): void;
  /** Says a word and then nothing any more, with its stream open. */
  hangs(prompt: string): Hanging;
  /** Fails with this status, however often it is asked. */
  fails(prompt: string, status: number, options: { readonly retryAfter?: number; readonly message?: string }): void;
  /** What the model was asked after this prompt, in order. */
  asked(prompt: string): readonly Asked[];
  /** Throws unless all that was scripted has happened, and nothing else. Forgets both. */
  verify(): void;
}

interface SayOptions {
  readonly gate?: ModelGate;
  readonly usage?: { readonly input: number; readonly output: number };
}

export interface WrittenFile {
  readonly path: string;
  readonly content: string;
}

export interface Hanging {
  /** Resolves when the model has been asked. */
  begun(): Promise<void>;
  /** Resolves once no one is listening to it. */
  stopped(): Promise<void>;
}

export interface Asked {
  readonly model: string;
  readonly system: string;
  /** Everything that was said before, also by the model. */
  readonly messages: readonly string[];
  readonly tools: readonly string[];
  /** What tools came to, if this request is about that. */
  readonly toolResults: readonly string[];
}

/** The processes with this `NAME=value` in their environment. Linux tells; elsewhere there are none. */
export async function processesWith(mark: string): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const marked = await Promise.all(pids.map(async (pid) => (await environmentOf(pid)).includes(mark)));
  return pids.filter((_, index) => marked[index]);
}

async function environmentOf(pid: number): Promise<string[]> {
  try {
    return (await readFile(`/proc/${pid}/environ`, "utf8")).split("\0");
  } catch (error) {
    // It has ended meanwhile, or belongs to another user.
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

import type { IncomingHttpHeaders } from "node:http";
import { Waiting } from "../waiting.ts";
import type { Prompt } from "./conversation.ts";
import type { WireName } from "./wire.ts";

/** How a request ended, seen from the model: `aborted` means that the client closed the stream before its end. */
export type ReplyOutcome = "answered" | "failed" | "dropped" | "aborted" | "unexpected" | "closed";

/** One request that reached the model server, in one shape for every wire. */
export interface RecordedRequest extends Prompt {
  /** 1 for the first request this server ever got. */
  readonly number: number;
  /** `undefined` for side requests that are not prompts, and for unknown addresses. */
  readonly wire: WireName | undefined;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly raw: unknown;
  /** The client's own session id, where it sends one. */
  readonly session: string | undefined;
  /** The last text the user typed. */
  readonly user: string;
  /** Results of the tools called last; empty unless this request delivers tool results. */
  readonly toolResults: readonly string[];
  /** Name of the client's own side request (`"title"`, `"warm-up"` …), which no test asked for. */
  readonly side: string | undefined;
  /** Why it could not be read as a prompt at all. */
  readonly problem: string | undefined;
  /** `undefined` until the reply has ended. */
  readonly outcome: ReplyOutcome | undefined;
  readonly aborted: boolean;
  /** Settles when the reply has ended in any way. */
  readonly ended: Promise<ReplyOutcome>;
}

export type NewRequest = Omit<RecordedRequest, "number" | "outcome" | "aborted" | "ended">;

/** All requests so far, and a way to wait for future ones. */
export class Recording {
  #requests: RecordedRequest[] = [];
  readonly #waiting = new Waiting<RecordedRequest>();
  #count = 0;

  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  add(request: NewRequest): RecordingEntry {
    this.#count += 1;
    const entry = new RecordingEntry({ ...request, number: this.#count }, () => this.#waiting.announce(entry.request));
    this.#requests.push(entry.request);
    this.#waiting.announce(entry.request);
    return entry;
  }

  forget(): void {
    this.#requests = [];
  }

  /** The first request, past or future, that `matches`; looked at again when its outcome is known. */
  async waitFor(matches: (request: RecordedRequest) => boolean, deadline: number): Promise<RecordedRequest> {
    return await this.#waiting.first(this.#requests, matches, deadline, (why) => {
      const came = this.#requests.map(({ number, side, user, outcome }) => {
        const what = side === undefined ? JSON.stringify(user) : `(${side})`;
        return `  #${number} ${what} ${outcome ?? "under way"}`;
      });
      return `No such model request${why} These came:\n${came.join("\n") || "  none"}`;
    });
  }
}

/** The server's handle on a recorded request: only the server says how the request ended. */
export class RecordingEntry {
  readonly request: RecordedRequest;
  readonly end: (outcome: ReplyOutcome) => void;

  constructor(fields: Omit<RecordedRequest, "outcome" | "aborted" | "ended">, changed: () => void) {
    let outcome: ReplyOutcome | undefined;
    let settle!: (outcome: ReplyOutcome) => void;
    const ended = new Promise<ReplyOutcome>((resolve) => {
      settle = resolve;
    });
    this.request = Object.defineProperties({ ...fields, ended } as RecordedRequest, {
      outcome: { get: () => outcome, enumerable: true },
      aborted: { get: () => outcome === "aborted", enumerable: true },
    });
    this.end = (how) => {
      if (outcome !== undefined) return;
      outcome = how;
      settle(how);
      changed();
    };
  }
}

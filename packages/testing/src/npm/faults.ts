// Faults that a registry can show, and a record of which requests will still meet them.
import { deferred } from "../waiting.ts";

/** Which answers a fault touches: the document that lists versions, the tarball, search results. */
export type Stage = "packument" | "tarball" | "search";

export type RegistryFault =
  /** Answer with this status instead of the document. */
  | { kind: "status"; status: number; on?: Stage; times?: number }
  /** Hold the answer until `release()` is called on the returned handle. */
  | { kind: "slow"; on?: Stage; times?: number }
  /** Close the connection with nothing sent, or in the middle of the body. */
  | { kind: "reset"; at: "headers" | "body"; on?: Stage; times?: number }
  /** Announce hashes in the packument that the tarball does not have. */
  | { kind: "wrong-integrity"; times?: number }
  /** Leave the publication times out of the packument. */
  | { kind: "missing-time"; times?: number }
  /** Send half of the tarball as if it were all of it. */
  | { kind: "truncated"; times?: number }
  /** Send a packument that stops in the middle of its JSON. */
  | { kind: "corrupt-json"; times?: number };

export interface FaultHandle extends Disposable {
  /** How many answers have shown the fault. */
  readonly hits: number;
  /** Settles when the first request meets the fault. */
  readonly reached: Promise<void>;
  /** Lets the requests held by a `slow` fault continue, and ends it. */
  release(): void;
  /** Ends the fault; requests that are held stay held until `release()`. */
  remove(): void;
}

/** A fault that an answer has to show. */
export interface MetFault {
  readonly fault: RegistryFault;
  /** Settles at `release()`. */
  readonly released: Promise<void>;
}

interface Switch {
  readonly target: string;
  readonly fault: RegistryFault;
  readonly handle: FaultHandle;
  meet(): MetFault;
}

/** Where the faults without `on` show. */
const onlyOn = {
  truncated: "tarball",
  "wrong-integrity": "packument",
  "missing-time": "packument",
  "corrupt-json": "packument",
} as const;

export class FaultSwitches {
  #active: Switch[] = [];
  // Kept apart from the active ones: a fault that has used up its `times` may still hold requests.
  readonly #handles: FaultHandle[] = [];

  /** `target` is a package name, or `*` for every package. */
  add(target: string, fault: RegistryFault): FaultHandle {
    const reached = deferred();
    const released = deferred();
    let hits = 0;
    const remove = (): void => {
      this.#active = this.#active.filter((other) => other.handle !== handle);
    };
    const release = (): void => {
      remove();
      released.resolve();
    };
    const handle: FaultHandle = {
      get hits() {
        return hits;
      },
      reached: reached.promise,
      release,
      remove,
      [Symbol.dispose]: release,
    };
    this.#active.push({
      target,
      fault,
      handle,
      meet: () => {
        hits += 1;
        if (hits >= (fault.times ?? Number.POSITIVE_INFINITY)) remove();
        reached.resolve();
        return { fault, released: released.promise };
      },
    });
    this.#handles.push(handle);
    return handle;
  }

  /** The faults that an answer about this package shows, each counted once. */
  meet(name: string, stage: Stage): MetFault[] {
    const affected = this.#active.filter(({ target, fault }) => {
      if (target !== name && target !== "*") return false;
      const on = "at" in fault || fault.kind === "status" || fault.kind === "slow" ? fault.on : onlyOn[fault.kind];
      return on === undefined || on === stage;
    });
    return affected.map((active) => active.meet());
  }

  releaseAll(): void {
    for (const handle of this.#handles) handle.release();
  }
}

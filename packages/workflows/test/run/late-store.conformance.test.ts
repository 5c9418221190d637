// The same contract on a store that answers nothing at once, as one across a network would.
import { type MemoryDisk, type MemoryStore, memoryStore } from "../../src/run/memory/memory-engine.ts";
import type { RunLog, RunStore } from "../../src/run/run-store.ts";
import { engineContract } from "./conformance.ts";
import { fleetContract } from "./fleet-contract.ts";
import { memoryHarness } from "./memory-harness.ts";

engineContract("a store that answers later", () => memoryHarness(lateStore));
fleetContract("a store that answers later", () => memoryHarness(lateStore));

function lateStore(disk: MemoryDisk): MemoryStore {
  const store = memoryStore(disk);
  const late: RunStore = {
    ...store,
    open: async (runId, options) => lateLog(await store.open(runId, options)),
    read: async (runId) => await later(() => store.read(runId)),
    tail: (runId, after) => {
      const read = store.tail(runId, after);
      return async () => await later(read);
    },
    loadBlob: async (runId, stored) => await later(() => store.loadBlob(runId, stored)),
    notes: (runId) => {
      const read = store.notes(runId);
      return async () => await later(read);
    },
    removeTranscript: async (runId, isDry) => await later(() => store.removeTranscript(runId, isDry)),
    inbox: async (runId, after) => await later(() => store.inbox(runId, after)),
    stamp: async (runId) => await later(() => store.stamp(runId)),
    ids: async () => await later(() => store.ids()),
    size: async (runId) => await later(() => store.size(runId)),
    ends: async (runId) => await later(() => store.ends(runId)),
    isAlive: async (runId, owner) => await later(() => store.isAlive(runId, owner)),
  };
  // The contract uses nothing of a store but its crash.
  return late as MemoryStore;
}

function lateLog(log: RunLog): RunLog {
  return {
    append: (event) => log.append(event),
    flushed: () => log.flushed(),
    get isFull() {
      return log.isFull;
    },
    saveBlob: async (text) => await log.saveBlob(text),
    tell: (note) => log.tell(note),
    close: async () => await later(() => log.close()),
  };
}

async function later<T>(answer: () => T): Promise<Awaited<T>> {
  await new Promise(setImmediate);
  return await answer();
}

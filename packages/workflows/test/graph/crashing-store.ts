import { type MemoryDisk, type MemoryStore, memoryStore } from "../../src/run/memory/memory-engine.ts";

/** A process that dies when it has written this many records to journals. */
export function crashingStore(disk: MemoryDisk, records: number): { store: MemoryStore; died: Promise<void> } {
  const store = memoryStore(disk);
  const { promise: died, resolve } = Promise.withResolvers<void>();
  let left = records;
  const dying: MemoryStore = {
    ...store,
    open: async (runId, options) => {
      const log = await store.open(runId, options);
      const append = log.append.bind(log);
      log.append = (event) => {
        const number = append(event);
        left -= 1;
        if (left === 0) {
          store.crash();
          resolve();
        }
        return number;
      };
      return log;
    },
  };
  return { store: dying, died };
}

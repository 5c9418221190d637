import { readFileSync, watch } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

export interface Notes extends AsyncDisposable {
  lines(): string[];
  /** Waits for a line that starts like this. */
  line(start: string): Promise<string>;
}

/** A file in which the fixture writes down what happens, named in the environment while in use. */
export async function notes(): Promise<Notes> {
  const folder = await temporaryFolder();
  const file = join(folder.path, "notes");
  await writeFile(file, "");
  process.env.BENCH_TEST_NOTES = file;
  const lines = () => readFileSync(file, "utf8").split("\n").slice(0, -1);
  return {
    lines,
    line: (start: string): Promise<string> => {
      const { promise, resolve } = Promise.withResolvers<string>();
      const look = () => {
        const found = lines().find((line) => line.startsWith(start));
        if (found !== undefined) resolve(found);
      };
      const watcher = watch(file, look);
      look();
      return promise.finally(() => watcher.close());
    },
    async [Symbol.asyncDispose]() {
      delete process.env.BENCH_TEST_NOTES;
      await folder[Symbol.asyncDispose]();
    },
  };
}

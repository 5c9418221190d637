import { transaction } from "@atomic/durable-files/transaction/transaction";
import { configFiles } from "../../opencode/config-files.ts";
import { hashOf } from "../../packages/hash.ts";
import { withExplainedErrors } from "../../workspace/explained-errors.ts";
import type { Place } from "../../workspace/place.ts";
import { Reads } from "../../workspace/reads.ts";
import { withState } from "../../workspace/with-state.ts";

/** As OpenCode 1.18 writes it into every config that has none, whatever it was started for. No setting prevents it. */
const SCHEMA = '{\n  "$schema": "https://opencode.ai/config.json",';

/** Who only looks changes nothing: afterwards the config files are, byte for byte, what they were. */
export async function keepingConfigs<T>(place: Place, look: () => Promise<T>): Promise<T> {
  const paths = configFiles(place.configs).map(({ path }) => path);
  const before = new Reads();
  for (const path of paths) before.file(path);
  try {
    return await look();
  } finally {
    await withExplainedErrors(() => restore(place, before));
  }
}

async function restore(place: Place, before: Reads): Promise<void> {
  const changes = before.changed(before.paths).flatMap((path) => {
    const bytes = before.file(path)?.bytes;
    if (bytes === undefined) return [];
    // What anybody else has written meanwhile does not match, and stays.
    const expect = hashOf(Buffer.from(bytes.toString("utf8").replace(/^\s*\{/, SCHEMA)));
    const isOpencodes = new Reads().file(path)?.hash === expect;
    return isOpencodes ? [{ path, content: bytes, expect }] : [];
  });
  if (changes.length === 0) return;
  await withState(place, { purpose: "hugo health" }, async ({ held }) => {
    await transaction(place.stateFolder, changes, { lock: held });
  });
}

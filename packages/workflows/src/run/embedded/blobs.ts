import { createHash } from "node:crypto";
import { join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { readForEdit } from "@atomic/durable-files/files/read-for-edit";
import type { Stored } from "../events.ts";
import type { Json } from "../json.ts";
import { RunError } from "../run-error.ts";

type Blob = Extract<Stored, { blob: string }>;

/** Keeps a text under its hash. Twice the same text is one file. */
export async function saveBlob(folder: string, text: string): Promise<Blob> {
  const blob = `sha256:${createHash("sha256").update(text).digest("hex")}` as const;
  const path = pathOf(folder, blob);
  const stored = { blob, bytes: Buffer.byteLength(text) };
  const { hash } = readForEdit(path);
  if (hash === blob) return stored;
  // Few runs have such results, and none should have to load what it takes.
  const { transaction } = await import("@atomic/durable-files/transaction/transaction");
  try {
    await transaction(join(folder, ".state"), [{ path, content: text, expect: hash }]);
  } catch (error) {
    // Another branch came to the same result at the same time.
    if (!(error instanceof DurableError && error.code === "changed" && readForEdit(path).hash === blob)) throw error;
  }
  return stored;
}

export function loadBlob(folder: string, { blob, bytes }: Blob): Json {
  const path = pathOf(folder, blob);
  const read = readForEdit(path);
  if (read.hash === blob) return JSON.parse(Buffer.from(read.bytes).toString("utf8")) as Json;
  throw new RunError("damaged", {
    message: `The result ${path} (${bytes} bytes) ${read.hash === "absent" ? "is missing" : "is not what was written"}`,
    at: path,
    hint: "Restore it from a copy, or start the run anew.",
  });
}

function pathOf(folder: string, blob: string): string {
  return join(folder, `${blob.replace(":", "-")}.json`);
}

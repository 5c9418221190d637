import { readFile } from "node:fs/promises";
import { errnoOf } from "@atomic/durable-files/files/errno";

/** A file's text; empty if there is no such file. */
export async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "";
    throw error;
  }
}

import { join } from "node:path";
import { pathToFileURL } from "node:url";

const magnus = join(import.meta.dirname, "../..");

/** What OpenCode loads after an install, made anew. */
export async function publishedPlugin(): Promise<{ readonly file: string; readonly url: string }> {
  const child = Bun.spawn([process.execPath, "bundle.mjs"], { cwd: magnus, stderr: "pipe" });
  if ((await child.exited) !== 0) throw new Error(`magnus-opus cannot be bundled:\n${await child.stderr.text()}`);
  const file = join(magnus, "dist/bundle/plugin.js");
  return { file, url: pathToFileURL(file).href };
}

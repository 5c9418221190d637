import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundlePackages } from "@atomic/testing/bundle-packages";

const magnus = join(import.meta.dirname, "../..");

/** What OpenCode loads after an install, made anew. */
export async function publishedPlugin(): Promise<{ readonly file: string; readonly url: string }> {
  await bundlePackages("magnus-opus");
  const file = join(magnus, "dist/bundle/plugin.js");
  return { file, url: pathToFileURL(file).href };
}

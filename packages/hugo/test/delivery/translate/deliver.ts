import type { Permission } from "@atomic/workflows/internal/permission/rules";
import { type FilesToDeliver, PackageTranslation } from "../../../src/delivery/translate/package-translation.ts";
import { readManifest } from "../../../src/packages/manifest.ts";
import { tree } from "../../tree.ts";

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** What the user has set. */
export interface DeliverOptions {
  readonly models?: ReadonlyMap<string, string>;
  readonly prefix?: string;
  readonly limit?: Permission;
}

/** What is delivered of a package of these files. */
export function deliver(files: Files, options: DeliverOptions = {}): FilesToDeliver {
  const all = tree(files);
  return new PackageTranslation(readManifest(all), all, options).deliver(options.limit);
}

/** The same of a plugin for Claude Code. */
export function deliverPlugin(files: Files, options: DeliverOptions = {}): FilesToDeliver {
  return deliver({ ".claude-plugin/plugin.json": '{ "name": "p" }', ...files }, options);
}

export function textAt({ files }: FilesToDeliver, destination: string): string {
  const file = files.get(destination);
  if (file === undefined) throw new Error(`${destination} is not delivered.`);
  return Buffer.from(file.bytes).toString();
}

/** The frontmatter of an agent of a Claude plugin after translation, or why it is stopped. */
export function agentOf(frontmatter: string, options: DeliverOptions = {}): string {
  const delivered = deliverPlugin({ "agents/a.md": `---\n${frontmatter}\n---\nBody\n` }, options);
  const [stopped] = delivered.stopped;
  if (stopped !== undefined) return `stopped at ${stopped.at}: ${stopped.because}`;
  const [, translated = "", body] = textAt(delivered, "agents/a.md").split(/^---\n/m);
  if (body !== "Body\n") throw new Error(`The body has become ${body}.`);
  return translated.trimEnd();
}

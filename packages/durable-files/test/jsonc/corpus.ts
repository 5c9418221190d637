import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface CorpusFile {
  readonly name: string;
  readonly text: string;
}

const folder = join(import.meta.dirname, "fixtures");

/** Hand-written configuration files, from ordinary to nasty, byte for byte. */
export const corpus: readonly CorpusFile[] = readdirSync(folder)
  .filter((name) => /\.jsonc?$/.test(name))
  .sort()
  .map((name) => ({ name, text: decode(readFileSync(join(folder, name))) }));

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

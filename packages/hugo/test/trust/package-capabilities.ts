import { PackageTranslation } from "../../src/delivery/translate/package-translation.ts";
import { readManifest } from "../../src/packages/manifest.ts";
import { readCapabilities } from "../../src/trust/capabilities.ts";
import { tree } from "../tree.ts";

export type Files = Readonly<Record<string, string | Uint8Array>>;

export function capabilities(files: Files): ReturnType<typeof readCapabilities> {
  const all = tree(files);
  return readCapabilities(new PackageTranslation(readManifest(all), all));
}

export const agent = (matter: string, body = "Review."): string => `---\ndescription: d\n${matter}---\n${body}\n`;
export const skill = "---\nname: s\ndescription: d\n---\n";

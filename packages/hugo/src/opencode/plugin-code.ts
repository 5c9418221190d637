import { dirname, relative, sep } from "node:path";

/** Where OpenCode finds the code of a version. */
export type PluginCode =
  /** It fetches the version from the registry itself. */
  | { readonly kind: "registry"; readonly pin: string }
  /** It loads the one copy in Hugo's store. */
  | { readonly kind: "store" /** Absolute. */; readonly folder: string };

/** How the code is written in a config file: paths are relative to the file that they stand in. */
export function specIn(file: string, code: PluginCode): string {
  if (code.kind === "registry") return code.pin;
  const way = relative(dirname(file), code.folder).split(sep).join("/");
  return way.startsWith("../") ? way : `./${way}`;
}

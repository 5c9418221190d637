import type { Hostile } from "./hostile-package.ts";
import { archives } from "./packages/archives.ts";
import { manifests } from "./packages/manifests.ts";
import { names } from "./packages/names.ts";
import { repositories } from "./packages/repositories.ts";
import { specs } from "./packages/specs.ts";
import { texts } from "./packages/texts.ts";

/** By what they abuse. */
export const hostile: Readonly<Record<string, readonly Hostile[]>> = {
  "archives and links": archives,
  names,
  specs,
  repositories,
  manifests,
  texts,
};

import type { Hostile } from "./hostile-package.ts";
import { archives } from "./packages/archives.ts";
import { locks } from "./packages/locks.ts";
import { manifests } from "./packages/manifests.ts";
import { names } from "./packages/names.ts";
import { projectRegistries } from "./packages/project-registries.ts";
import { projects } from "./packages/projects.ts";
import { registries } from "./packages/registries.ts";
import { repositories } from "./packages/repositories.ts";
import { sizes } from "./packages/sizes.ts";
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
  registries,
  sizes,
  projects: [...projects, ...projectRegistries],
  locks,
};

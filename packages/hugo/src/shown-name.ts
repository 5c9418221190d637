import { statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "@atomic/terminal/page";
import { shellFolders, shownRunner } from "@atomic/terminal/shown-runner";
import { lookOr } from "@atomic/workflows/internal/entities/system-error";

/**
 * How a shell finds the Hugo that is running, where that is not as `hugo`: the package declares only `hugo-pm`, and `hugo` may
 * be the site generator or missing.
 *
 * @param script The program's own file, as it was called.
 */
export function shownName(
  script: string,
  env: Readonly<Record<string, string | undefined>>,
): Pick<Page, "runner" | "named"> {
  const name = basename(script);
  // From a clone, it is called by its file.
  const isInstalled = name === published.program || /[\\/]node_modules[\\/]/.test(script);
  if (!isInstalled || name === "hugo" || isShortName(script, env)) return {};
  return { runner: shownRunner(script, env, published), named: { inTexts: "hugo", here: published.program } };
}

const published = { program: "hugo-pm", packageName: "hugo-pm" };

/** The first `hugo` that a shell finds is this program: the link that `hugo-pm setup` adds. */
function isShortName(script: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const found = shellFolders(env).flatMap((folder) => fileId(join(folder, "hugo")) ?? []);
  return found[0] !== undefined && found[0] === fileId(script);
}

/** Undefined if a shell would find no file there; the same for all links to one. */
function fileId(path: string): string | undefined {
  const stats = lookOr(undefined, () => statSync(path, { bigint: true }));
  return stats?.isFile() === true ? `${stats.dev}:${stats.ino}` : undefined;
}

import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { configFolders, worktreeOf } from "@atomic/workflows/internal/entities/worktree";
import type { Context } from "../context.ts";
import type { ConfigPlaces } from "../opencode/config-files.ts";
import { isWithin } from "../opencode/is-within.ts";

/** Where Hugo works: in a project, or in the user's own OpenCode. All paths are absolute. */
export interface WorkspacePlace {
  readonly scope: "project" | "global";
  /** The project's folder; for `global` the same as `folder`. */
  readonly root: string;
  /** What OpenCode reads: `<root>/.opencode`, or `~/.config/opencode`. It contains hugo.json and copied files. */
  readonly folder: string;
  readonly lockFile: string;
  /** Hugo's own, not committed: store, bases, generations and the transaction's journal. */
  readonly stateFolder: string;
  readonly configs: ConfigPlaces;
  readonly home: string;
}

/**
 * The nearest folder with a hugo.json is the project; without one it is the root of the git worktree, or the folder
 * itself outside git. OpenCode reads the configs of all folders in between, whichever of them is the project.
 */
export function placeFor(
  context: Pick<Context, "cwd" | "home" | "env">,
  { global: isGlobal }: { readonly global: boolean },
): WorkspacePlace {
  const [cwd, home] = [resolve(context.cwd), resolve(context.home)];
  const { XDG_CONFIG_HOME: xdg, OPENCODE_CONFIG: custom, OPENCODE_CONFIG_DIR: further } = context.env;
  const folders = configFolders(cwd);
  const worktree = worktreeOf(cwd);
  // Outside git, the home folder and the disk's root contain everything and are never a project.
  const candidates = folders.filter(
    (folder) => folder === cwd || worktree !== undefined || (folder !== home && folder !== dirname(folder)),
  );
  const known = candidates.find((folder) => existsSync(join(folder, ".opencode", "hugo.json")));
  const project = known ?? worktree ?? cwd;
  const configs: ConfigPlaces = {
    globalFolder: join(xdg ? resolve(cwd, xdg) : join(home, ".config"), "opencode"),
    ...(custom && { custom: resolve(cwd, custom) }),
    projectFolder: project,
    projectFolders: folders.toReversed(),
    furtherFolders: [join(home, ".opencode"), ...(further ? [resolve(cwd, further)] : [])],
    start: cwd,
    env: context.env,
  };
  const root = isGlobal ? configs.globalFolder : project;
  const folder = isGlobal ? root : join(root, ".opencode");
  return {
    scope: isGlobal ? "global" : "project",
    root,
    folder,
    lockFile: join(folder, "hugo.json"),
    stateFolder: join(folder, ".hugo"),
    configs,
    home,
  };
}

/** OpenCode's folder as people write it, wherever XDG_CONFIG_HOME moves the global one. */
export function folderLabel({ scope, folder, home }: Pick<WorkspacePlace, "scope" | "folder" | "home">): string {
  if (scope === "project") return ".opencode";
  return isWithin(home, folder) ? `~/${slashed(relative(home, folder))}` : folder;
}

/** A path as hugo.json records it, valid in every clone: relative to the root or to the home folder. */
export function portablePath({ root, home, configs, scope }: WorkspacePlace, path: string): string {
  const shared = configs.projectFolders.flatMap((folder) => [folder, join(folder, ".opencode")]);
  const isBelow = (folder: string): boolean => path !== folder && isWithin(folder, path);
  const isOurs = isBelow(root) || (scope === "project" && shared.includes(dirname(path)));
  if (isOurs) return slashed(relative(root, path));
  return isBelow(home) ? `~/${slashed(relative(home, path))}` : path;
}

/** The reverse of `portablePath`. */
export function absolutePath({ root, home }: WorkspacePlace, path: string): string {
  if (path.startsWith("~/")) return join(home, path.slice(2));
  return isAbsolute(path) ? path : join(root, path);
}

/** With `/` on every platform. */
export function slashed(path: string): string {
  return path.split(sep).join("/");
}

const COMMAND =
  /\bhugo (install|update|remove|enable|disable|diff|adopt|ci|list|status|outdated|health|verify|undo|prune)\b(?! -g\b)/g;

/** Adds `-g` to the commands in a hint if the current command ran with it. */
export function inScope({ scope }: Pick<WorkspacePlace, "scope">, hint: string): string {
  return scope === "global" ? hint.replace(COMMAND, "hugo $1 -g") : hint;
}

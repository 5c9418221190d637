// Which folders each tool searches: how far up from the project, and where you moved its home folder.
// test/oracle/folders.oracle.test.ts checks this against the real programs.
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { ToolName } from "./entity.ts";
import type { Environment, FormatPlace, FoundPlace } from "./format.ts";
import { lookOr } from "./system-error.ts";
import { toolPlaceLike } from "./tools/places.ts";
import { ancestors } from "./worktree.ts";

/** A folder to search, and which of a format's places are in it. */
export interface SearchedFolder {
  readonly location: "project" | "user";
  readonly path: string;
  /** How many folders above the project; absent for the project, and for a home folder that does not contain it. */
  readonly above?: number;
  /** Where variables such as `CLAUDE_CONFIG_DIR` moved some of the home folder's places, if that is outside of it. */
  readonly moved?: readonly string[];
  /** Where a place is, and which tools look there if not all that read such a place. Several if tools disagree. */
  locate(place: FormatPlace): readonly FoundPlace[];
}

export interface SearchOptions {
  readonly projectPath?: string;
  readonly userPath?: string;
  readonly env: Environment;
}

/** Everything that any tool searches. The home folder comes first, then the project and the folders above it. */
export function searchedFolders({ projectPath, userPath, env }: SearchOptions): SearchedFolder[] {
  const home = userPath === undefined ? undefined : lookOr(userPath, () => realpathSync.native(userPath));
  const above = projectPath === undefined ? [] : foldersAbove(projectPath, home);
  const homeAt = above.findIndex(({ path }) => path === home || path === userPath);
  const found: SearchedFolder[] = [];
  if (userPath !== undefined) {
    const isCopilotsToo = above[homeAt]?.tools.includes("copilot") === true;
    const paths = homePaths(userPath, env, { start: projectPath ?? userPath, isCopilotsToo });
    found.push({
      location: "user",
      path: userPath,
      ...(homeAt !== -1 && { above: homeAt }),
      moved: movedOut(userPath, paths),
      locate: (place) => {
        const readers = readersOf(place);
        if (readers.length === 0) return findOne(place.path, "opencode", paths);
        const byPath = new Map<string, ToolName[]>();
        for (const tool of readers) {
          for (const { path } of findOne(place.path, tool, paths))
            byPath.set(path, [...(byPath.get(path) ?? []), tool]);
        }
        return [...byPath].map(([path, readBy]) => (readBy.length === readers.length ? { path } : { path, readBy }));
      },
    });
  }
  for (const [at, { path, tools, unless }] of above.entries()) {
    found.push({
      location: "project",
      path,
      ...(at > 0 && { above: at }),
      locate: (place) => {
        if (unless !== undefined && existsSync(join(unless, place.path))) return [];
        const readers = readersOf(place);
        // Atomic looks in its own folder like Claude Code, and for Hugo's lock like OpenCode.
        if (readers.length === 0) {
          const like = place.path.startsWith(".atomic") ? "claude" : "opencode";
          return at === 0 || tools.includes(like) ? [{ path: join(path, place.path) }] : [];
        }
        const readBy = readers.filter(
          // Copilot knows that `~/.claude` is the user's, which it does not read.
          (tool) => tools.includes(tool) && !(tool === "copilot" && at === homeAt && place.path.startsWith(".claude/")),
        );
        if (readBy.length === 0) return [];
        return [{ path: join(path, place.path), ...(readBy.length < readers.length && { readBy }) }];
      },
    });
  }
  return found;
}

const everyTool: readonly ToolName[] = ["claude", "opencode", "copilot"];

function readersOf({ location, path, ...place }: FormatPlace): readonly ToolName[] {
  const isConfig = place.kind === "config";
  return everyTool.filter(
    (tool) => toolPlaceLike(tool, { location, place: path, ...(isConfig && { pointer: "agent." }) }) !== undefined,
  );
}

interface FolderAbove {
  readonly path: string;
  readonly tools: readonly ToolName[];
  /** Only what this folder does not have itself is read. */
  readonly unless?: string | undefined;
}

/** The project and the folders above it, each with the tools that search it. */
function foldersAbove(start: string, home: string | undefined): FolderAbove[] {
  const all = ancestors(start);
  const top = all.length - 1;
  const homeAt = home === undefined ? -1 : all.indexOf(home);
  const git = all.findIndex((folder) => existsSync(join(folder, ".git")));
  // Claude Code takes any `.git` for the root of a repository, and never searches the home folder or above it.
  const root = git === -1 ? top : git;
  const claude = homeAt === -1 ? root : Math.min(root, homeAt - 1);
  // The others ask git, which passes over an empty `.git`. Outside of a repository, Copilot stops at the home folder.
  const repository = git === -1 ? undefined : gitRoot(all, git);
  const opencode = repository ?? top;
  const copilot = repository ?? (homeAt === -1 ? top : homeAt);
  const last = { claude, opencode, copilot };
  const folders: FolderAbove[] = all
    .slice(0, Math.max(claude, opencode, copilot) + 1)
    .map((path, at) => ({ path, tools: everyTool.filter((tool) => at <= last[tool]) }));
  // In a linked worktree without, say, `.claude/agents`, Claude Code reads those of the main one.
  const worktree = all[git];
  const main = worktree !== undefined && claude === git ? mainWorktree(worktree) : undefined;
  if (main !== undefined) folders.push({ path: main, tools: ["claude"], unless: worktree });
  return folders;
}

/** The folder that git takes for the root, by its index; none if it finds a broken `.git` file first. */
function gitRoot(all: readonly string[], from: number): number | undefined {
  for (let at = from; at < all.length; at += 1) {
    const path = join(all[at] ?? "", ".git");
    const stats = lookOr(undefined, () => statSync(path, { throwIfNoEntry: false }));
    if (stats?.isFile() === true) return linkedGitFolder(path) === undefined ? undefined : at;
    if (stats?.isDirectory() === true && existsSync(join(path, "HEAD"))) return at;
  }
  return undefined;
}

/** What the `.git` file of a linked worktree or of a submodule refers to. */
function linkedGitFolder(file: string): string | undefined {
  const [, folder] = /^gitdir: (.+)/.exec(lookOr("", () => readFileSync(file, "utf8"))) ?? [];
  return folder === undefined ? undefined : resolve(dirname(file), folder.trimEnd());
}

/** The main worktree of a linked one. */
function mainWorktree(worktree: string): string | undefined {
  const file = join(worktree, ".git");
  const isFile = lookOr(false, () => statSync(file).isFile());
  const folder = isFile ? linkedGitFolder(file) : undefined;
  const common = folder === undefined ? "" : lookOr("", () => readFileSync(join(folder, "commondir"), "utf8")).trim();
  if (folder === undefined || common === "") return undefined;
  const shared = resolve(folder, common);
  return basename(shared) === ".git" ? dirname(shared) : undefined;
}

/** Where a tool looks for the user's places, by the beginning of their paths; undefined if nowhere. */
type HomePaths = Readonly<Record<string, Partial<Record<ToolName, string | undefined>>>>;

function homePaths(
  home: string,
  env: Environment,
  { start, isCopilotsToo }: { readonly start: string; readonly isCopilotsToo: boolean },
): HomePaths {
  const { CLAUDE_CONFIG_DIR: claude, COPILOT_HOME: copilot, XDG_CONFIG_HOME: xdg } = env;
  const { OPENCODE_CONFIG_DIR: further, OPENCODE_CONFIG: custom } = env;
  const copilots = copilot ? resolve(start, copilot) : join(home, ".copilot");
  const hasCopilotMoved = copilot ? copilot.replace(/\/+$/, "") !== join(home, ".copilot") : false;
  const agents = join(home, ".agents");
  return {
    // An empty text is a folder here, too: the current one.
    ".claude": { claude: claude === undefined ? join(home, ".claude") : resolve(start, claude) },
    ".copilot": { copilot: copilots },
    // Copilot reads them only as long as its own folder is beside them.
    ".agents": { copilot: hasCopilotMoved && !isCopilotsToo ? undefined : agents },
    ".config/opencode": { opencode: xdg ? join(resolve(start, xdg), "opencode") : join(home, ".config/opencode") },
    OPENCODE_CONFIG_DIR: { opencode: further ? resolve(start, further) : undefined },
    OPENCODE_CONFIG: { opencode: custom ? resolve(start, custom) : undefined },
    "": { claude: home, opencode: home, copilot: home },
  };
}

function movedOut(home: string, paths: HomePaths): string[] {
  const roots = Object.values(paths).flatMap((byTool) => Object.values(byTool).filter((root) => root !== undefined));
  return [...new Set(roots)].filter((root) => root !== home && !root.startsWith(join(home, sep)));
}

function findOne(path: string, tool: ToolName, paths: HomePaths): FoundPlace[] {
  for (const [prefix, byTool] of Object.entries(paths)) {
    if (!(tool in byTool) || !(path === prefix || prefix === "" || path.startsWith(`${prefix}/`))) continue;
    const root = byTool[tool];
    return root === undefined ? [] : [{ path: join(root, path.slice(prefix.length)) }];
  }
  return [];
}

import { emptyLock, type Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import type { DeliveryDecision } from "../../src/delivery/decision.ts";
import { configFiles } from "../../src/opencode/config-files.ts";
import { identifyPlugins } from "../../src/opencode/find-plugin.ts";
import { readOpencodeConfig } from "../../src/opencode/read-config.ts";
import { hashOf } from "../../src/packages/hash.ts";
import { WorkspaceDraft } from "../../src/workspace/draft.ts";
import { absolutePath, type WorkspacePlace } from "../../src/workspace/place.ts";
import type { WorkspaceSnapshot } from "../../src/workspace/snapshot.ts";
import { tree } from "../tree.ts";

/** A project in /p and a home in /h, as they would be if they were there. */
export const place: WorkspacePlace = {
  scope: "project",
  root: "/p",
  folder: "/p/.opencode",
  lockFile: "/p/.opencode/hugo.json",
  stateFolder: "/p/.opencode/.hugo",
  home: "/h",
  configs: {
    globalFolder: "/h/.config/opencode",
    projectFolder: "/p",
    projectFolders: ["/p"],
    furtherFolders: ["/h/.opencode"],
    start: "/p",
    env: {},
  },
};

export interface Memory {
  readonly lock?: Lock;
  /** By portable path. */
  readonly configs?: Readonly<Record<string, string>>;
  /** Below .opencode. */
  readonly files?: Readonly<Record<string, string>>;
  readonly bases?: readonly string[];
}

export function memoryView({ lock = emptyLock, configs = {}, files = {}, bases = [] }: Memory = {}): WorkspaceSnapshot {
  const texts = new Map(Object.entries(configs).map(([path, text]) => [absolutePath(place, path), text]));
  const known = new Map(bases.map((text) => [hashOf(text), Buffer.from(text)]));
  const disk = tree(files);
  const read = configFiles(place.configs).map(({ path }) => readOpencodeConfig(path, texts.get(path)));
  return {
    place,
    lock,
    configs: read,
    plugins: identifyPlugins(read),
    notices: [],
    generalConfigs: () => [],
    entriesOf: () => [],
    isEnabled: () => false,
    storedTree: () => undefined,
    dependencyProblems: () => [],
    surroundingsProblems: () => [],
    isStored: () => false,
    baseOf: (hash) => known.get(hash),
    disk: (paths) => new Map([...new Set(paths)].flatMap((path) => (disk.has(path) ? [[path, disk.get(path)!]] : []))),
  };
}

/** What there is once a decision has been taken. */
export function after(snapshot: WorkspaceSnapshot, decision: DeliveryDecision): WorkspaceDraft {
  const draft = new WorkspaceDraft(snapshot);
  draft.apply(decision);
  return draft;
}

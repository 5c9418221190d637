import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../../errors.ts";
import { readConfigToFillIn } from "../../opencode/read-config.ts";
import {
  BUILTIN,
  type ContentEntity,
  type ContentType,
  type WorkflowContent,
} from "../../packages/manifest/content.ts";
import { usesDefineWorkflow } from "../../packages/manifest/entry-code.ts";
import { readEntries } from "../../packages/manifest/package-json.ts";
import type { WorkspaceSnapshot } from "../../workspace/snapshot.ts";

/** A source that gives OpenCode an agent, a command or a skill. */
export type Claimant =
  | { readonly kind: "builtin" }
  | FileClaimant
  | { readonly kind: "config"; readonly file: string }
  | WorkflowClaimant;

/** A Markdown file that Hugo did not put there. */
export interface FileClaimant {
  readonly kind: "file";
  /** As the user would write it. */
  readonly path: string;
  /** Whether OpenCode reads it before or after the files that Hugo copies; it has no order within a folder. */
  readonly read: "earlier" | "later" | "in any order";
}

export interface WorkflowClaimant {
  readonly kind: "workflow";
  readonly workflow: string;
  readonly delivery: "plugin" | "copy";
  /** Its code keeps existing entities, as `defineWorkflow` does. Unknown for other plugins. */
  readonly yields?: boolean;
}

/** Where an agent, a command or a skill of its own folder is copied to. */
export function usualDestination(type: ContentType, name: string): string {
  return type === "skill" ? `skills/${name}/SKILL.md` : `${type}s/${name}.md`;
}

/** A name and the source that claims it. */
export interface Claim {
  readonly type: ContentType;
  readonly name: string;
  readonly by: Claimant;
}

export const builtinClaims: readonly Claim[] = (["agent", "command", "skill"] as const).flatMap((type) =>
  BUILTIN[type].map((name) => ({ type, name, by: { kind: "builtin" } }) as const),
);

const FOLDERS: readonly (readonly [pattern: RegExp, type: ContentType])[] = [
  [/^agents?\/(.+)\.md$/, "agent"],
  [/^modes?\/([^/]+)\.md$/, "agent"],
  [/^commands?\/(.+)\.md$/, "command"],
  [/^skills?\/(?:.*\/)?([^/]+)\/SKILL\.md$/, "skill"],
];

/** A name that a file claims. */
export interface FileClaim extends Claim {
  readonly by: FileClaimant;
}

/** The names that the files in a folder claim, in both spellings of its subfolders. */
export function fileClaims(paths: readonly string[], read: FileClaimant["read"]): FileClaim[] {
  return paths.flatMap((path) =>
    FOLDERS.flatMap(([pattern, type]) => {
      const name = pattern.exec(path)?.[1];
      return name === undefined ? [] : [{ type, name, by: { kind: "file", path, read } } as const];
    }),
  );
}

/** The agents and commands inside an OpenCode config file; `file` is its path as the user would write it. */
export function configClaims(file: string, text: string, path: string = file): Claim[] {
  const hint = "Fix it by hand; OpenCode probably rejects it as well.";
  const root = readConfigToFillIn(text, { file: path, code: "config-invalid", hint });
  const keys = [
    ["agent", "agent"],
    ["mode", "agent"],
    ["command", "command"],
  ] as const;
  return keys.flatMap(([key, type]) =>
    root
      .get(key)
      .entries()
      .map(([name]) => ({ type, name, by: { kind: "config", file } }) as const),
  );
}

/** An installed workflow, as the lock knows it. */
export function workflowClaimant(
  snapshot: Pick<WorkspaceSnapshot, "storedTree">,
  workflow: string,
  { delivery }: LockedWorkflow,
): WorkflowClaimant {
  let known: boolean | undefined;
  return {
    kind: "workflow",
    workflow,
    delivery: delivery.kind,
    // Looked up only on a collision, because most workflows never collide.
    get yields() {
      if (known !== undefined || delivery.kind !== "plugin") return known === true;
      try {
        const tree = snapshot.storedTree(workflow);
        known = tree !== undefined && usesDefineWorkflow(tree, readEntries(tree));
      } catch (error) {
        // It was changed, so what it does now is unknown.
        if (!(error instanceof HugoError)) throw error;
        known = false;
      }
      return known;
    },
  };
}

export function workflowClaims(by: WorkflowClaimant, { agents, commands, skills }: WorkflowContent): Claim[] {
  return [
    ...agents.map(({ name }): Claim => ({ type: "agent", name, by })),
    ...commands.map(({ name }): Claim => ({ type: "command", name, by })),
    ...skills.map(({ name }): Claim => ({ type: "skill", name, by })),
  ];
}

/** The locked names in the form of a manifest's content. */
export function lockedContent(locked: Pick<LockedWorkflow, "agents" | "commands" | "skills">): WorkflowContent {
  const entities = (names: readonly string[]): ContentEntity[] => names.map((name) => ({ name, path: "" }));
  return { agents: entities(locked.agents), commands: entities(locked.commands), skills: entities(locked.skills) };
}

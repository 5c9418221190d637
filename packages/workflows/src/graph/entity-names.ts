// Names as types. A project that has its entities' names generated (`entity-names-file.ts`) gets a type error for a name
// that nobody has; without them every name is a string, and the graph is checked when it is compiled.

/** Filled by the generated file, in the way that TypeScript merges interfaces. @public */
// biome-ignore lint/suspicious/noEmptyInterface: others add to it.
export interface KnownEntities {}

type NameOf<Type extends string> =
  KnownEntities extends Readonly<Record<Type, infer Name extends string>> ? Name | QualifiedEntityName : string;

type QualifiedEntityName = `${string}:${"project" | "user" | "builtin"}/${string}`;

export type AgentName = NameOf<"agent">;
export type SkillName = NameOf<"skill">;
export type CommandName = NameOf<"command">;
export type WorkflowName = NameOf<"workflow">;

// Names as types. With generated names (`entity-names-file.ts`), an unknown name is a type error. Without them every name is
// a string, and names are checked when the graph is compiled.

/** Filled by the generated file: TypeScript merges interfaces. @public */
// biome-ignore lint/suspicious/noEmptyInterface: others add to it.
export interface KnownEntities {}

type NameOf<Type extends string> =
  KnownEntities extends Readonly<Record<Type, infer Name extends string>> ? Name | QualifiedEntityName : string;

type QualifiedEntityName = `${string}:${"project" | "user" | "builtin"}/${string}`;

export type AgentName = NameOf<"agent">;
export type SkillName = NameOf<"skill">;
export type CommandName = NameOf<"command">;
export type WorkflowName = NameOf<"workflow">;

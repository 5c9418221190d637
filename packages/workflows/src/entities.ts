// The registry's front door: find agents, skills, commands and workflows in the files of every tool.

export { findShellAndFileReferences } from "./entities/arguments/references.ts";
export { expandArguments, findWantedArguments } from "./entities/arguments.ts";
export { defineEntity, type EntityInput } from "./entities/define-entity.ts";
export type { Diagnostic } from "./entities/diagnostic.ts";
export type { Entity, EntityLocation, EntityType, Provider, Restrictions } from "./entities/entity.ts";
export { EntityNotFoundError } from "./entities/entity-not-found.ts";
export { getCommandHint, parseCommandInput } from "./entities/hints.ts";
export { type InitializeOptions, initializeWorkflowsSDK } from "./entities/initialize.ts";
export { mayUseTool } from "./entities/normalize/restrictions.ts";
export { createEntityRegistry, type EntityRegistry, type RegistryOptions } from "./entities/registry.ts";
export { newRegistryStats, type RegistryStats } from "./entities/registry-stats.ts";
export { loadVerdicts } from "./entities/tools/load-verdicts.ts";
export type { ToolVerdict, ToolView } from "./entities/tools/tool.ts";
export { viewAs } from "./entities/tools/view-as.ts";

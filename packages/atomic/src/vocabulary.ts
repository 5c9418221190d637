import type { EntityType, Provider } from "@atomic/workflows/entity";
import type { ChoiceSpec } from "./command.ts";

// Written out here, because help and usage errors must not wait for the code that reads all these formats.
export const entityTypes: readonly EntityType[] = ["agent", "command", "skill", "workflow"];
export const providers: readonly Provider[] = ["atomic", "copilot", "opencode", "claude", "agent-skills", "hugo"];

export const typeOption: ChoiceSpec<EntityType> = {
  kind: "choice",
  value: "type",
  choices: entityTypes,
  summary: "Only of this type",
};

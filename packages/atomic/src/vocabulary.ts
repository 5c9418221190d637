import type { ChoiceSpec } from "@atomic/terminal/command";
import type { EntityType, Provider } from "@atomic/workflows/entity";

// Written out here, because help and usage errors must not wait for the code that reads all these formats.
export const entityTypes: readonly EntityType[] = ["agent", "command", "skill", "workflow"];
export const providers: readonly Provider[] = ["atomic", "copilot", "opencode", "claude", "agent-skills", "hugo"];

export const typeOption: ChoiceSpec<EntityType> & { readonly many: true } = {
  kind: "choice",
  value: "type",
  choices: entityTypes,
  many: true,
  summary: "Only this type",
};

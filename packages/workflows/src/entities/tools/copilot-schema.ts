import type { Values } from "./yaml-block.ts";

interface KeyRule {
  readonly key: string;
  readonly accepts: (value: unknown) => boolean;
  readonly wants: string;
}

export type KeyRules = readonly KeyRule[];

const text = (key: string): KeyRule => ({ key, accepts: (value) => typeof value === "string", wants: "text" });
const flag = (key: string): KeyRule => ({
  key,
  accepts: (value) => typeof value === "boolean",
  wants: "true or false",
});
const texts = (key: string): KeyRule => ({ key, accepts: isTextOrTexts, wants: "text or a list of texts" });

const hint: KeyRule = {
  key: "argument-hint",
  accepts: (value) => value === null || typeof value === "string",
  wants: "text",
};
const named: KeyRule = {
  key: "name",
  accepts: (value) => typeof value === "string" && value.trim() !== "",
  wants: "text",
};

const command: KeyRules = [named, text("description"), hint, flag("disable-model-invocation"), texts("allowed-tools")];

/** The keys whose value makes Copilot drop a file if it is not of the right kind. */
export const rules: Readonly<Record<"agent" | "command" | "skill", KeyRules>> = {
  command,
  skill: [...command, flag("user-invocable")],
  agent: [
    text("name"),
    text("description"),
    texts("tools"),
    texts("model"),
    texts("skills"),
    flag("user-invocable"),
    flag("disable-model-invocation"),
    flag("infer"),
    { key: "mcp-servers", accepts: (value) => typeof value === "object" && value !== null, wants: "a map" },
  ],
};

export function problemIn(values: Values, keys: KeyRules): string | undefined {
  const broken = keys.find(({ key, accepts }) => values[key] !== undefined && !accepts(values[key]));
  return broken && `\`${broken.key}\` must be ${broken.wants}.`;
}

function isTextOrTexts(value: unknown): boolean {
  return typeof value === "string" || (Array.isArray(value) && value.every((item) => typeof item === "string"));
}

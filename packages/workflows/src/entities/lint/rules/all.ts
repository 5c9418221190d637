import type { EntityType } from "../../entity.ts";
import type { Rule } from "../rule.ts";
import { agentSkillRules } from "./agent-skills.ts";
import { characterRules } from "./characters.ts";
import { expansionRules } from "./expansions.ts";
import { keyRules } from "./keys.ts";
import { loadingRules } from "./loading.ts";
import { nameRules } from "./names.ts";
import { referenceRules } from "./references.ts";
import { restrictionRules } from "./restrictions.ts";

/** Every rule, for the docs as well. */
export const rules: readonly Rule[] = [
  ...loadingRules,
  ...agentSkillRules,
  ...keyRules,
  ...restrictionRules,
  ...nameRules,
  ...referenceRules,
  ...characterRules,
  ...expansionRules,
];

const about = (type: EntityType): readonly Rule[] => rules.filter((rule) => (rule.about ?? type) === type);

/** The same by what they look at: with thousands of files, calling those that look at something else takes a while. */
export const rulesAbout: Readonly<Record<EntityType, readonly Rule[]>> = {
  agent: about("agent"),
  command: about("command"),
  skill: about("skill"),
  workflow: about("workflow"),
};

import { type Provider, providers } from "../entity.ts";
import type { Format } from "../format.ts";
import { agentSkills } from "./agent-skills.ts";
import { atomic } from "./atomic.ts";
import { claude } from "./claude.ts";
import { copilot } from "./copilot.ts";
import { hugo } from "./hugo.ts";
import { opencode } from "./opencode.ts";

const formatOf: Readonly<Record<Provider, Format>> = {
  atomic,
  copilot,
  opencode,
  claude,
  "agent-skills": agentSkills,
  hugo,
};

/** Every format, best first. */
export const formats: readonly Format[] = providers.map((provider) => formatOf[provider]);

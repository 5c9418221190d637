import { agentSkills } from "./agent-skills.ts";
import { atomic } from "./atomic.ts";
import { claude } from "./claude.ts";
import { copilot } from "./copilot.ts";
import type { Format } from "./format.ts";
import { hugo } from "./hugo.ts";
import { opencode } from "./opencode.ts";

/** Every format. In this order they win between themselves, for entities of one name and location. */
export const formats: readonly Format[] = [atomic, copilot, opencode, claude, agentSkills, hugo];

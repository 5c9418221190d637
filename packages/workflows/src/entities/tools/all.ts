import { claude } from "./claude.ts";
import { copilot } from "./copilot.ts";
import { opencode } from "./opencode.ts";
import type { Tool } from "./tool.ts";

export const tools: readonly Tool[] = [claude, opencode, copilot];

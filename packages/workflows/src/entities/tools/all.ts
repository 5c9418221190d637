import { claude } from "./claude.ts";
import { copilot } from "./copilot.ts";
import { opencode } from "./opencode.ts";
import type { ToolReader } from "./tool.ts";

export const tools: readonly ToolReader[] = [claude, opencode, copilot];

import { magnusNext, magnusStatus } from "./next.ts";
import { runTestsTool } from "./run-tests.ts";
import { magnusSessions } from "./sessions.ts";
import { magnusStart } from "./start.ts";
import { submitReview } from "./submit-review.ts";
import type { MagnusTool } from "./tool.ts";

/** All tools of the workflow. Agents that are not named in `agents/*.md` for one never see it. */
export const tools: readonly MagnusTool[] = [
  magnusStart,
  magnusNext,
  magnusStatus,
  magnusSessions,
  runTestsTool,
  submitReview,
];

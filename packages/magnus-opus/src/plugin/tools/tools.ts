import { magnusNext, magnusStatus } from "./next.ts";
import { runTestsTool } from "./run-tests.ts";
import { magnusSessions } from "./sessions.ts";
import { magnusStart } from "./start.ts";
import { submitReview } from "./submit-review.ts";
import type { MagnusTool } from "./tool.ts";

/** The workflow's tools. An agent only sees those that `agents/*.md` allows it. */
export const tools: readonly MagnusTool[] = [
  magnusStart,
  magnusNext,
  magnusStatus,
  magnusSessions,
  runTestsTool,
  submitReview,
];

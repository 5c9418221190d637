import type { Rule } from "../rule.ts";

const LONGEST_COPILOT_AGENT = 30_000;

export const sizeRules: readonly Rule[] = [
  {
    code: "agent-too-long",
    severity: "warning",
    summary: "Copilot accepts agents of up to 30,000 characters.",
    *check({ entity, verdicts, body }) {
      const isCopilots = verdicts.some(({ tool, loads, kind }) => tool === "copilot" && loads && kind === "agent");
      if (!isCopilots || entity.type !== "agent" || body.length <= LONGEST_COPILOT_AGENT) return;
      const message = `The body has ${body.length} characters; Copilot accepts at most ${LONGEST_COPILOT_AGENT}.`;
      yield { message, hint: "Move material that is not always needed into a skill." };
    },
  },
];

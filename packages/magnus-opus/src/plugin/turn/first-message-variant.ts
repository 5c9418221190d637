// The first message of a session that a person uses: agents that plan think harder about it, if their model can.
import { lookUp } from "../../run/state.ts";
import { TaskClient } from "../background/task-client.ts";
import { modelFacts } from "./model-facts.ts";
import type { MakeTurnHook } from "./turn-hook.ts";

const defaultVariants: Readonly<Record<string, string>> = {
  orchestrator: "high",
  architect: "medium",
  "plan-reviewer": "medium",
};

export const firstMessageVariant: MakeTurnHook = ({ context, settings }) => {
  const client = new TaskClient(context);
  const facts = modelFacts(context);
  /** Only their later messages can follow. */
  const begun = new Set<string>();
  return {
    async onMessage({ session, agent, model }) {
      if (begun.has(session)) return undefined;
      begun.add(session);
      const role = settings.roleOf(agent) ?? "";
      const variant = settings.config.agents?.[role]?.variant ?? lookUp(defaultVariants, role);
      // What you have chosen yourself stays.
      if (variant === undefined || model === undefined || model.variant !== undefined) return undefined;
      const [info, messages = []] = await Promise.all([client.session(session), client.messages(session)]);
      if (info?.parentID !== undefined || messages.length > 0) return undefined;
      const known = (await facts()).get(`${model.providerID}/${model.modelID}`);
      return known?.variants.includes(variant) === true ? { variant } : undefined;
    },
    forget: (session) => void begun.delete(session),
  };
};

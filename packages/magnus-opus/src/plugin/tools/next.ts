import * as z from "zod/mini";
import { roleOf } from "../../run/gates.ts";
import { stepWords } from "../../words/step-words.ts";
import { say } from "../../words/template.ts";
import { askPerson } from "../approval/ask-person.ts";
import { statusOf } from "../commands/status.ts";
import type { MagnusTool } from "./tool.ts";

export const magnusNext: MagnusTool = {
  name: "magnus_next",
  schema: { type: "object", properties: {} },
  async run(magnus, _, call) {
    const { session, agent } = call;
    await magnus.events.idle();
    const found = await magnus.runs.of(session);
    if (found === undefined) {
      const ids = magnus.runs.ids().slice(0, 5);
      return say("no-run", { others: ids.length === 0 ? "" : `Runs in other sessions: ${ids.join(", ")}.` });
    }
    if (found.kind === "closed") return say("elsewhere", { run: found.id, why: found.why, hint: found.hint });
    if (found.kind === "over") return stepWords(found.state);
    const { run } = found;
    if (session !== run.root || roleOf(run.state, agent) !== "orchestrator") {
      return `Only the orchestrator of run ${run.state.run} may do this, in session ${run.root}.`;
    }
    await run.refreshWithFiles();
    // A phase that was not announced to the orchestrator yet cannot be finished.
    if (run.isPhaseAnnounced && run.state.status.kind === "running") {
      const by = { kind: "agent", agent, session } as const;
      await run.append({ type: "phase-ready", at: Date.now(), by, phase: run.state.phase });
    }
    const answered = await askPerson(magnus, run, call);
    run.announcePhase();
    return [answered, stepWords(run.state, magnus.settings.unable)].filter(Boolean).join("\n\n");
  },
};

const given = z.object({ run: z.optional(z.string()) });

export const magnusStatus: MagnusTool = {
  name: "magnus_status",
  schema: { type: "object", properties: { run: { type: "string" } } },
  async run(magnus, args, { session }) {
    return await statusOf(magnus, session, z.safeParse(given, args).data?.run ?? "");
  },
};

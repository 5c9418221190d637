// After a restart OpenCode knows what became of the sessions of a run. What nobody saw is told to the journal.
import { lookUp } from "../../run/state.ts";
import type { LiveRun } from "./live-run.ts";
import type { Opencode } from "./opencode.ts";

export async function reconcile(run: LiveRun, opencode: Opencode): Promise<void> {
  await run.record({ type: "run-opened" });
  const { root, state } = run;
  const wasOpen = Object.keys(state.sessions).filter((id) => id === root || lookUp(state.sessions, id)?.isOpen);
  const unseen = (await opencode.children(root)).filter(({ id }) => lookUp(state.sessions, id) === undefined);
  for (const { id, agent = "" } of unseen) await run.join({ session: id, parent: root, agent });
  const busy = await opencode.busySessions();
  for (const session of [...wasOpen, ...unseen.map(({ id }) => id)]) {
    for (const message of await opencode.messages(session)) await run.use(message);
    if (!busy.has(session)) await run.end(session, "lost");
  }
}

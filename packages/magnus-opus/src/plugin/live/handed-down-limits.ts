// Some versions of OpenCode (seen in 1.15.4, 1.15.13 and 1.17.0) hand an agent's denials down to whom it delegates to. The
// orchestrator changes no code, so that with these nobody below it can. Gates hold all the same; a person is told why.
import type { Magnus } from "./magnus.ts";
import type { SessionInfo } from "./opencode.ts";

type LimitedSession = SessionInfo & { readonly version?: string };

const told = new WeakSet<Magnus>();

/** Once is enough. */
export function tellOfHandedDownLimits(magnus: Magnus, agent: string, session: LimitedSession | undefined): void {
  if (told.has(magnus) || !isLimited(session) || !mayEdit(magnus, agent)) return;
  told.add(magnus);
  const which = session?.version === undefined ? "This OpenCode" : `OpenCode ${session.version}`;
  magnus.opencode.tell(
    `${which} gives agents the orchestrator's limits, so that those who build cannot change files. Use 1.17.11 or later.`,
  );
}

function isLimited(session: LimitedSession | undefined): boolean {
  const rules = session?.permission ?? [];
  return rules.some(({ permission, pattern, action }) => permission === "edit" && pattern === "*" && action === "deny");
}

/** By its own rules. */
function mayEdit({ settings }: Magnus, agent: string): boolean {
  const edit = settings.agents[agent]?.permission?.edit;
  return typeof edit === "object" ? Object.values(edit).includes("allow") : edit === "allow";
}

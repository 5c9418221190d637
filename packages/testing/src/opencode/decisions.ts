import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ModelServer } from "../model-server.ts";
import type { OpencodeServer, RealSessionOptions } from "./server.ts";

/** For `plugins` of a server that is to be asked. */
export const permissionProbe: string = pathToFileURL(join(import.meta.dirname, "permission-probe.ts")).href;

/** What OpenCode asks its rules: may this be done with that? */
export type PermissionCall = readonly [permission: string, subject: string];

const actions = { l: "allow", s: "ask", e: "deny" } as const;

/**
 * What the real OpenCode decides about calls of one of its agents, in one turn: `allow` went through unasked, `ask` waited
 * for a person, `deny` failed at once. Nothing is executed.
 *
 * ```ts
 * await using server = await opencodeServe(project, { model, plugins: [permissionProbe] });
 * await decisionsOf(server, model, "reviewer", [["bash", "git push"]]); // ["deny"]
 * ```
 */
export async function decisionsOf(
  server: OpencodeServer,
  model: ModelServer,
  agent: string,
  calls: readonly PermissionCall[],
  options: Pick<RealSessionOptions, "directory"> = {},
): Promise<("allow" | "ask" | "deny")[]> {
  const prompt = `Probe the agent ${agent}.`;
  model.expect(prompt).tool("permission_probe", { calls }).then.reply("done");
  // An agent that may do nothing would not even be offered the probe.
  const permission = [{ permission: "permission_probe", pattern: "*", action: "allow" as const }];
  const session = await server.session({ title: prompt, permission, ...options });
  await session.prompt(prompt, { agent });
  const tools = (await session.messages()).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool" ? [part] : [])),
  );
  const [state] = tools.map((part) => part.state);
  if (state?.status !== "completed") throw new Error(`OpenCode did not run the probe: ${JSON.stringify(state)}`);
  const letters = [...state.output] as (keyof typeof actions)[];
  if (letters.length !== calls.length) throw new Error(`OpenCode decided ${letters.length} of ${calls.length} calls.`);
  return letters.map((letter) => actions[letter]);
}

// A plugin for OpenCode with one tool, which asks OpenCode's own permissions about any calls and says what came of it.
// Nothing is executed. It runs inside OpenCode: see `decisionsOf`.

/** `allow` passes unasked, `deny` fails at once, and whatever waits for a person is `ask`. */
type Decision = "allow" | "ask" | "deny";

interface ProbeContext {
  readonly sessionID: string;
  ask(request: object): Promise<void>;
}

interface PluginInput {
  readonly client: {
    postSessionIdPermissionsPermissionId(request: {
      path: { id: string; permissionID: string };
      body: { response: "reject" };
    }): Promise<unknown>;
  };
}

interface AskedEvent {
  readonly type: string;
  readonly properties?: {
    readonly id?: string;
    readonly sessionID?: string;
    readonly metadata?: { readonly probe?: number };
  };
}

/** The calls of one session that are not decided yet. */
interface Probe {
  readonly decide: (call: number, decision: Decision) => void;
  /** A request that waits for a person: to reject it rejects all of its session. */
  waiting?: string;
}

export const PermissionProbe = async ({ client }: PluginInput): Promise<object> => {
  const probes = new Map<string, Probe>();

  /** All at once: a question would otherwise hold up the next call until it is answered. */
  const decideAll = async (calls: readonly [string, string][], context: ProbeContext): Promise<Decision[]> => {
    const decisions: Decision[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    let left = calls.length;
    const probe: Probe = {
      decide: (call, decision) => {
        if (decisions[call] !== undefined) return;
        decisions[call] = decision;
        left -= 1;
        if (left === 0) resolve();
      },
    };
    probes.set(context.sessionID, probe);
    const ended = calls.map(async ([permission, pattern], call) => {
      await context.ask({ permission, patterns: [pattern], always: [], metadata: { probe: call } }).then(
        () => probe.decide(call, "allow"),
        () => probe.decide(call, "deny"),
      );
    });
    await promise;
    if (probe.waiting !== undefined) {
      const path = { id: context.sessionID, permissionID: probe.waiting };
      await client.postSessionIdPermissionsPermissionId({ path, body: { response: "reject" } });
    }
    await Promise.all(ended);
    probes.delete(context.sessionID);
    return decisions;
  };

  return {
    event: async ({ event }: { event: AskedEvent }): Promise<void> => {
      const { id, sessionID, metadata } = event.properties ?? {};
      const probe = sessionID === undefined ? undefined : probes.get(sessionID);
      if (event.type !== "permission.asked" || probe === undefined || metadata?.probe === undefined) return;
      if (id !== undefined) probe.waiting = id;
      probe.decide(metadata.probe, "ask");
    },
    tool: {
      permission_probe: {
        description: "Asks OpenCode's permissions",
        args: {},
        execute: async (given: { calls: [string, string][] }, context: ProbeContext): Promise<string> =>
          (await decideAll(given.calls, context)).map((decision) => decision.charAt(1)).join(""),
      },
    },
  };
};

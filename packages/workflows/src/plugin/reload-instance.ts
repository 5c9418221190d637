// Makes OpenCode read a project again, and checks that it did.
//
// OpenCode answers `instance.dispose` before it has disposed of anything. Until it reports `server.instance.disposed`, it
// still answers requests, from a config that no plugin has touched yet, and keeps the result: agents, commands and rules of
// every plugin stay lost until the next dispose. So send no request until that event. Another client's request may have been
// faster, so check, and dispose again if something is missing.

/** OpenCode's client as plugins get it. It does not throw: `error` says what went wrong. */
export interface InstanceClient {
  /** The generated methods subscribe with the global `fetch`, which cannot reach an OpenCode without a port. This one can. */
  readonly _client: { get(request: { url: string; parseAs: "stream" }): Answer<AsyncIterable<Uint8Array>> };
  readonly config: { get(request: InFolder): Answer<LoadedConfig> };
  readonly app: {
    agents(request: InFolder): Answer<readonly { readonly name: string; readonly permission?: unknown }[]>;
  };
  readonly command: { list(request: InFolder): Answer<readonly { readonly name: string }[]> };
  readonly mcp: { status(request: InFolder): Answer<object> };
  readonly session: { status(request: InFolder): Answer<object> };
  readonly instance: { dispose(request: InFolder): Answer<unknown> };
}

type Answer<Data> = Promise<{ readonly data?: Data; readonly error?: unknown }>;

interface InFolder {
  readonly query: { readonly directory: string };
}

interface LoadedConfig {
  readonly agent?: Readonly<Record<string, { readonly name?: string; readonly disable?: boolean }>>;
  readonly command?: Readonly<Record<string, unknown>>;
  readonly mcp?: Readonly<Record<string, { readonly type?: unknown }>>;
  readonly permission?: unknown;
}

export interface Instance {
  readonly directory: string;
  readonly client: InstanceClient;
}

export type Reloaded =
  | { readonly kind: "loaded" }
  /** Still missing after several attempts. Only restarting OpenCode helps. */
  | { readonly kind: "incomplete"; readonly missing: readonly string[] }
  | { readonly kind: "failed"; readonly why: string };

const ATTEMPTS = 3;
const DISPOSED_WITHIN = 60_000;

/** Packages bring their own copies of this module, but only one reload per folder may run at a time. */
const RELOADS: unique symbol = Symbol.for("@atomic/workflows reloads") as never;

const shared = globalThis as { [RELOADS]?: Map<string, Promise<Reloaded>> };
shared[RELOADS] ??= new Map();
const running = shared[RELOADS];

/** Call this when no session is working. */
export function reloadInstance(instance: Instance): Promise<Reloaded> {
  return running.get(instance.directory) ?? startReload(instance, "now");
}

/** After a reload that we did not request: repairs what it left out, once no session is working. */
export async function repairInstance(instance: Instance): Promise<Reloaded> {
  const reload = running.get(instance.directory);
  if (reload !== undefined) return await reload; // it checks for itself
  if ((await missingEntries(instance)).length === 0) return { kind: "loaded" };
  return await (running.get(instance.directory) ?? startReload(instance, "when idle"));
}

function startReload(instance: Instance, when: "now" | "when idle"): Promise<Reloaded> {
  const reload = disposeUntilComplete(instance, when).finally(() => running.delete(instance.directory));
  running.set(instance.directory, reload);
  return reload;
}

/** What OpenCode has in its config but does not use, such as `agent "reviewer"`. */
async function missingEntries({ client, directory }: Instance): Promise<readonly string[]> {
  const inFolder = { query: { directory } };
  const [agents, commands, servers] = await Promise.all([
    client.app.agents(inFolder).then(dataOf),
    client.command.list(inFolder).then(dataOf),
    client.mcp.status(inFolder).then(dataOf),
  ]);
  const config = await client.config.get(inFolder).then(dataOf);
  const wanted = Object.entries(config.agent ?? {}).filter(([, agent]) => agent.disable !== true);
  const agentNames = wanted.map(([key, agent]) => agent.name ?? key);
  const serverNames = Object.entries(config.mcp ?? {}).flatMap(([key, { type }]) => (type === undefined ? [] : [key]));
  const { permission } = config;
  const permissionNames = typeof permission === "object" && permission !== null ? Object.keys(permission) : [];
  const rules = agents.flatMap((agent) => (Array.isArray(agent.permission) ? agent.permission : []));
  const expected: (readonly [kind: string, names: readonly string[], present: readonly string[]])[] = [
    ["agent", agentNames, agents.map(({ name }) => name)],
    ["command", Object.keys(config.command ?? {}), commands.map(({ name }) => name)],
    ["MCP server", serverNames, Object.keys(servers)],
    ["permission", permissionNames, rules.map((rule) => String(rule.permission))],
  ];
  return expected.flatMap(([kind, names, present]) => {
    const known = new Set(present);
    return names.filter((name) => !known.has(name)).map((name) => `${kind} ${JSON.stringify(name)}`);
  });
}

async function disposeUntilComplete(instance: Instance, when: "now" | "when idle"): Promise<Reloaded> {
  const { client, directory } = instance;
  const inFolder = { query: { directory } };
  const { data: stream, error } = await client._client.get({ url: "/global/event", parseAs: "stream" });
  if (stream === undefined)
    return { kind: "failed", why: `OpenCode did not open its event stream: ${JSON.stringify(error)}` };
  const events = eventsIn(stream);
  try {
    await events.next(); // "server.connected": from here on no event is missed
    for (let attempt = 1; ; attempt++) {
      // A working session would again send a request at the wrong moment. OpenCode may still list the session that has just
      // ended.
      for (let ended: unknown; attempt > 1 || when === "when idle"; ) {
        const busy = await client.session.status(inFolder).then(dataOf);
        if (Object.keys(busy).every((id) => id === ended)) break;
        const idle = await next(events, "session.idle", directory);
        if (idle === undefined) break;
        ended = idle.payload?.properties?.sessionID;
      }
      const { error: refused } = await client.instance.dispose(inFolder);
      if (refused !== undefined) return { kind: "failed", why: JSON.stringify(refused) };
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, DISPOSED_WITHIN, undefined);
      });
      const disposal = next(events, "server.instance.disposed", directory);
      const disposed = await Promise.race([disposal, late]).finally(() => clearTimeout(timer));
      if (disposed === undefined) return { kind: "failed", why: "OpenCode did not finish unloading the project" };
      const missing = await missingEntries(instance);
      if (missing.length === 0) return { kind: "loaded" };
      if (attempt === ATTEMPTS) return { kind: "incomplete", missing };
    }
  } finally {
    // Not awaited: a pending read ends only with the next event.
    void events.return(undefined);
  }
}

interface GlobalEvent {
  readonly directory?: string;
  readonly payload?: { readonly type?: string; readonly properties?: { readonly sessionID?: string } };
}

async function* eventsIn(stream: AsyncIterable<Uint8Array>): AsyncGenerator<GlobalEvent, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const frames = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const data = frame.split("\n").find((line) => line.startsWith("data:"));
      if (data !== undefined) yield JSON.parse(data.slice("data:".length)) as GlobalEvent;
    }
  }
}

/** The next event of this type in the folder; undefined if the stream ends first. */
async function next(
  events: AsyncGenerator<GlobalEvent>,
  type: string,
  directory: string,
): Promise<GlobalEvent | undefined> {
  for (;;) {
    const { done, value } = await events.next();
    if (done) return undefined;
    if (value.payload?.type === type && value.directory === directory) return value;
  }
}

function dataOf<Data>({ data, error }: { readonly data?: Data; readonly error?: unknown }): Data {
  if (data === undefined) throw new Error(`OpenCode is not responding: ${JSON.stringify(error)}`);
  return data;
}

import { isAction, type PermissionRule } from "../permission/rules.ts";
import type { Host, HostSession, SessionOptions } from "./host.ts";
import { ServerClient } from "./opencode/client.ts";
import { ServerEvents } from "./opencode/events.ts";
import { failed, list, object, text, type Untyped } from "./opencode/failure.ts";
import { sessionRules } from "./opencode/permission-rules.ts";
import { runningServer, type Server, type ServerOptions, startServer } from "./opencode/server.ts";
import { OpencodeSession, type PromptSettings } from "./opencode/session.ts";
import { nothingToStop, type RunningTurn } from "./opencode/turn.ts";

export interface OpencodeOptions extends ServerOptions {
  /** A server that runs already: `http://127.0.0.1:4096`. Without it, one is started when it is needed. */
  readonly url?: string;
  /** Of that server, if it has one. */
  readonly password?: string;
}

/**
 * Prompts are executed by OpenCode. What its agent would do without asking, it asks for, unless it only looks: every tool
 * call that matters is a `permission` event. What the user's settings deny stays denied. Sub-agents are another matter: they
 * ask only where the user's own settings say so. Whether there are any is asked (`task`), `deny` holds for them, and so does
 * `denyHelpers`: by default they can only look.
 *
 * @example
 * const host = opencodeHost();
 * const session = await host.create({ folder: process.cwd() });
 * for await (const event of session.send("What is in this folder?")) console.log(event);
 * await host.dispose();
 */
export function opencodeHost(options: OpencodeOptions = {}): Host {
  return new OpencodeHost(options);
}

interface Connection {
  readonly server: Server;
  readonly events: ServerEvents;
}

class OpencodeHost implements Host {
  readonly name = "opencode";
  readonly #options: OpencodeOptions;
  readonly #turns = new Set<RunningTurn>();
  #connection: Promise<Connection> | undefined;

  constructor(options: OpencodeOptions) {
    this.#options = options;
  }

  async create(options: SessionOptions): Promise<HostSession> {
    const { client, events } = await this.#open(options.folder);
    const { rules, settings } = await settingsFor(client, options);
    const title = options.title === undefined ? {} : { title: options.title };
    const { id } = await client.createSession({ ...title, permission: rules });
    if (typeof id !== "string") throw failed("host-failed", "OpenCode created a session without an id.");
    return new OpencodeSession(id, client, events, settings, this.#turns);
  }

  async resume(id: string, options: SessionOptions): Promise<HostSession> {
    if (!/^ses_\w+$/.test(id)) throw failed("session-gone", `"${id}" is not an OpenCode session.`);
    const { client, events } = await this.#open(options.folder);
    const [session, { rules, settings }] = await Promise.all([client.session(id), settingsFor(client, options)]);
    const hasRules =
      rules.length > 0 && JSON.stringify(rulesOf(session).slice(-rules.length)) === JSON.stringify(rules);
    if (!hasRules) await client.addRules(id, rules);
    return new OpencodeSession(id, client, events, settings, this.#turns);
  }

  async dispose(): Promise<void> {
    const connecting = this.#connection;
    this.#connection = undefined;
    if (connecting === undefined) return;
    await Promise.all([...this.#turns].map((turn) => turn.abort().catch(nothingToStop)));
    // Whoever wanted the connection has heard why there is none.
    const connection = await connecting.catch(() => undefined);
    connection?.events.close();
    await connection?.server.stop();
  }

  async #open(folder: string): Promise<{ client: ServerClient; events: ServerEvents }> {
    this.#connection ??= this.#connect();
    const { server, events } = await this.#connection;
    return { client: new ServerClient(server, folder), events };
  }

  async #connect(): Promise<Connection> {
    const { url, password } = this.#options;
    const forget = () => {
      this.#connection = undefined;
    };
    try {
      const server = url === undefined ? await startServer(this.#options) : runningServer(url, password);
      try {
        // The next session gets another server, or finds this one again.
        return { server, events: await ServerEvents.of(server, forget) };
      } catch (error) {
        await server.stop();
        throw error;
      }
    } catch (error) {
      forget();
      throw error;
    }
  }
}

async function settingsFor(
  client: ServerClient,
  options: SessionOptions,
): Promise<{ rules: PermissionRule[]; settings: PromptSettings }> {
  const agents = await client.agents();
  const given = options.agent;
  // An agent of the same name may be a different one: OpenCode has some of its own.
  const isSame = (prompt: unknown): boolean => !given?.prompt.trim() || text(prompt)?.trim() === given.prompt.trim();
  const known = given && agents.find(({ name, prompt }) => name === given.name && isSame(prompt));
  const wanted = known === undefined ? (text((await client.config()).default_agent) ?? "build") : undefined;
  const agent =
    known ??
    agents.find(({ name }) => name === wanted) ??
    agents.find(({ mode, hidden }) => mode !== "subagent" && !hidden);
  const name = text(agent?.name);
  if (name === undefined) throw failed("host-failed", "OpenCode has no agent that can take a prompt.");
  const system = [known === undefined ? given?.prompt : undefined, options.system].filter((each) => each).join("\n\n");
  const settings = { agent: name, ...(system !== "" && { system }), ...(await modelOf(client, options.model)) };
  return { rules: sessionRules(rulesOf(agent), { ...options, known: await client.toolNames() }), settings };
}

/** What files for Claude name means nothing here unless some provider has it: the user's own model is taken then. */
const ofClaude = /^(opus|sonnet|haiku|inherit|claude-.*)$/;

async function modelOf(client: ServerClient, model: string | undefined): Promise<Pick<PromptSettings, "model">> {
  if (model === undefined) return {};
  const [, providerID, modelID] = /^([^/]+)\/(.+)$/.exec(model) ?? [];
  if (providerID !== undefined && modelID !== undefined) return { model: { providerID, modelID } };
  const provider = (await client.providers()).find(({ models }) => Object.hasOwn(object(models), model));
  const found = text(provider?.id);
  if (found !== undefined) return { model: { providerID: found, modelID: model } };
  if (ofClaude.test(model)) return {};
  throw failed("prompt-failed", `OpenCode does not know the model "${model}".`, {
    hint: "Write provider/model, as `opencode models` lists them.",
  });
}

function rulesOf(holder: Untyped | undefined): PermissionRule[] {
  return list(holder?.permission).map(({ permission, pattern, action }) => ({
    permission: text(permission) ?? "",
    pattern: text(pattern) ?? "*",
    action: isAction(action) ? action : "deny",
  }));
}

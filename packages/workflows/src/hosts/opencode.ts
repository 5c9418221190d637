import { isAction, type PermissionRule } from "../permission/rules.ts";
import type { Host, SessionOptions } from "./host.ts";
import { ServerClient } from "./opencode/client.ts";
import { ServerEvents } from "./opencode/events.ts";
import { amount, failed, list, object, text, type Untyped } from "./opencode/failure.ts";
import { sessionRules } from "./opencode/permission-rules.ts";
import { runningServer, type Server, type ServerOptions, startServer } from "./opencode/server.ts";
import { OpencodeSession, type PromptSettings } from "./opencode/session.ts";
import { nothingToStop, type RunningTurn } from "./opencode/turn.ts";

export interface OpencodeOptions extends ServerOptions {
  /** The address of a running server, such as `http://127.0.0.1:4096`. Without it, one is started when it is needed. */
  readonly url?: string;
  /** That server's password, if it has one. */
  readonly password?: string;
}

/**
 * OpenCode executes the prompts. What its agent would do without asking, it asks for, unless it only looks: every tool call
 * that matters is a `permission` event. What the user's settings deny stays denied. Sub-agents are different: they ask only
 * where the user's own settings say so. Starting one is asked about (`task`), and `deny` and `denyHelpers` apply to them: by
 * default they can only look.
 *
 * @example
 * const host = opencodeHost();
 * const session = await host.create({ folder: process.cwd() });
 * for await (const event of session.send("What is in this folder?")) console.log(event);
 * await host.dispose();
 */
export function opencodeHost(options: OpencodeOptions = {}): Host {
  const turns = new Set<RunningTurn>();
  let connection: Promise<{ readonly server: Server; readonly events: ServerEvents }> | undefined;
  /** Connects to a server. If it is lost, the next session gets another one, or finds this one again. */
  const connect = async (): Promise<{ readonly server: Server; readonly events: ServerEvents }> => {
    try {
      const server =
        options.url === undefined ? await startServer(options) : runningServer(options.url, options.password);
      try {
        const events = await ServerEvents.of(server, () => {
          connection = undefined;
        });
        return { server, events };
      } catch (error) {
        await server.stop();
        throw error;
      }
    } catch (error) {
      connection = undefined;
      throw error;
    }
  };
  const open = async (folder: string): Promise<{ readonly client: ServerClient; readonly events: ServerEvents }> => {
    connection ??= connect();
    const { server, events } = await connection;
    return { client: new ServerClient(server, folder), events };
  };
  return {
    name: "opencode",
    create: async (session) => {
      const { client, events } = await open(session.folder);
      const { rules, settings } = await settingsFor(client, session);
      const title = session.title === undefined ? {} : { title: session.title };
      const { id } = object(await client.call("POST", "/session", { ...title, permission: rules }));
      if (typeof id !== "string") throw failed("host-failed", "OpenCode created a session without an id.");
      return new OpencodeSession(id, { client, events, settings, turns });
    },
    resume: async (id, session) => {
      if (!/^ses_\w+$/.test(id)) throw failed("session-gone", `"${id}" is not an OpenCode session id.`);
      const { client, events } = await open(session.folder);
      const [stored, { rules, settings }] = await Promise.all([
        client.call("GET", `/session/${encodeURIComponent(id)}`),
        settingsFor(client, session),
      ]);
      const last = rulesOf(object(stored)).slice(-rules.length);
      // The rules are appended to those that the session has.
      if (rules.length === 0 || JSON.stringify(last) !== JSON.stringify(rules)) {
        await client.call("PATCH", `/session/${id}`, { permission: rules });
      }
      return new OpencodeSession(id, { client, events, settings, turns });
    },
    modelWithoutPrice: async (session) => {
      const { client } = await open(session.folder);
      return await modelWithoutPrice(client, session);
    },
    dispose: async () => {
      const connecting = connection;
      connection = undefined;
      if (connecting === undefined) return;
      await Promise.all([...turns].map((turn) => turn.abort().catch(nothingToStop)));
      // A failure to connect was reported to the caller that needed the connection.
      const connected = await connecting.catch(() => undefined);
      connected?.events.lose(failed("host-failed", "The host was disposed."));
      await connected?.server.stop();
    },
  };
}

/** Undefined as well if OpenCode will choose the model itself. */
async function modelWithoutPrice(client: ServerClient, options: SessionOptions): Promise<string | undefined> {
  const { agent, settings } = await settingsFor(client, options);
  const [, provider, name] =
    /^([^/]+)\/(.+)$/.exec(text(object(await client.call("GET", "/config")).model) ?? "") ?? [];
  const { providerID, modelID } = settings.model ?? object(agent.model);
  const [ofProvider, ofModel] = [text(providerID) ?? provider, text(modelID) ?? name];
  if (ofProvider === undefined || ofModel === undefined) return undefined;
  const providers = list(object(await client.call("GET", "/config/providers")).providers);
  const { models } = providers.find(({ id }) => id === ofProvider) ?? {};
  const { input, output } = object(object(object(models)[ofModel]).cost);
  return amount(input) + amount(output) > 0 ? undefined : `${ofProvider}/${ofModel}`;
}

async function settingsFor(
  client: ServerClient,
  options: SessionOptions,
): Promise<{ rules: PermissionRule[]; settings: PromptSettings; agent: Untyped }> {
  const agents = list(await client.call("GET", "/agent"));
  const given = options.agent;
  const prompt = given?.prompt.trim();
  // An agent with the same name may be a different one: OpenCode has some of its own.
  const known =
    given && agents.find((each) => each.name === given.name && (!prompt || text(each.prompt)?.trim() === prompt));
  const config = known === undefined ? object(await client.call("GET", "/config")) : undefined;
  const wanted = config && (text(config.default_agent) ?? "build");
  const agent =
    known ??
    agents.find(({ name }) => name === wanted) ??
    agents.find(({ mode, hidden }) => mode !== "subagent" && !hidden);
  const name = text(agent?.name);
  if (name === undefined) throw failed("host-failed", "OpenCode has no agent that can accept a prompt.");
  const system = [known === undefined ? given?.prompt : undefined, options.system].filter((each) => each).join("\n\n");
  const settings = { agent: name, ...(system !== "" && { system }), ...(await modelOf(client, options.model)) };
  // OpenCode's own tools and those of plugins, but not those of servers. An old OpenCode does not list them.
  const ids = await client.call("GET", "/experimental/tool/ids", undefined, 404);
  const tools = Array.isArray(ids) ? ids.filter((each) => typeof each === "string") : [];
  return { rules: sessionRules(rulesOf(agent), { ...options, known: tools }), settings, agent: object(agent) };
}

/** Models that files for Claude name. Unless a provider has one by that name, the user's own model is used. */
const claudeModels = /^(opus|sonnet|haiku|inherit|claude-.*)$/;

async function modelOf(client: ServerClient, model: string | undefined): Promise<Pick<PromptSettings, "model">> {
  if (model === undefined) return {};
  const [, providerID, modelID] = /^([^/]+)\/(.+)$/.exec(model) ?? [];
  if (providerID !== undefined && modelID !== undefined) return { model: { providerID, modelID } };
  // The providers that the user is signed in to.
  const providers = list(object(await client.call("GET", "/config/providers")).providers);
  const provider = providers.find(({ models }) => Object.hasOwn(object(models), model));
  const found = text(provider?.id);
  if (found !== undefined) return { model: { providerID: found, modelID: model } };
  if (claudeModels.test(model)) return {};
  throw failed("prompt-failed", `OpenCode does not know the model "${model}".`, {
    hint: "Write provider/model, as listed by `opencode models`.",
    isPermanent: true,
  });
}

function rulesOf(holder: Untyped | undefined): PermissionRule[] {
  return list(holder?.permission).map(({ permission, pattern, action }) => ({
    permission: text(permission) ?? "",
    pattern: text(pattern) ?? "*",
    action: isAction(action) ? action : "deny",
  }));
}

// OpenCode's HTTP interface, as far as it is used here.
import { relative, resolve } from "node:path";
import { opencodeRoot } from "../../entities/worktree.ts";
import type { PermissionRule } from "../../permission/rules.ts";
import type { HostError } from "../host.ts";
import { failed, list, object, text, type Untyped } from "./failure.ts";
import type { Server } from "./server.ts";

/** The first request in a folder loads the user's plugins, which may have to be installed. */
const deadline = 120_000;

export interface PromptBody {
  readonly parts: readonly Untyped[];
  readonly agent: string;
  readonly system?: string;
  readonly model?: { readonly providerID: string; readonly modelID: string };
}

export interface StoredMessage {
  readonly info: Untyped;
  readonly parts: readonly Untyped[];
}

/** One folder on one server. */
export class ServerClient {
  readonly #server: Server;
  readonly #folder: string;

  constructor(server: Server, folder: string) {
    this.#server = server;
    this.#folder = folder;
  }

  /** A path from OpenCode's root, as it is from the folder. */
  fromFolder(path: string): string {
    return relative(this.#folder, resolve(opencodeRoot(this.#folder), path));
  }

  async agents(): Promise<readonly Untyped[]> {
    return list(await this.#call("GET", "/agent"));
  }

  async config(): Promise<Untyped> {
    return object(await this.#call("GET", "/config"));
  }

  /** Those that the user is signed in to, with their models. */
  async providers(): Promise<readonly Untyped[]> {
    return list(object(await this.#call("GET", "/config/providers")).providers);
  }

  /** Its own, and those of plugins; not those of servers. None if this OpenCode does not tell them. */
  async toolNames(): Promise<readonly string[]> {
    const found = await this.#call("GET", "/experimental/tool/ids", undefined, { accept: 404 });
    return Array.isArray(found) ? found.filter((name) => typeof name === "string") : [];
  }

  async createSession(body: {
    readonly title?: string;
    readonly permission: readonly PermissionRule[];
  }): Promise<Untyped> {
    return object(await this.#call("POST", "/session", body));
  }

  async session(id: string): Promise<Untyped> {
    return object(await this.#call("GET", `/session/${encodeURIComponent(id)}`));
  }

  /** The rules are put after those that the session has. */
  async addRules(id: string, permission: readonly PermissionRule[]): Promise<void> {
    await this.#call("PATCH", `/session/${id}`, { permission });
  }

  /** Returns at once: what comes of it is told by events. */
  async prompt(id: string, body: PromptBody): Promise<void> {
    await this.#call("POST", `/session/${id}/prompt_async`, body);
  }

  async abort(id: string): Promise<void> {
    await this.#call("POST", `/session/${id}/abort`);
  }

  /** Busy, or about to try again; `undefined` if it is idle. */
  async status(id: string): Promise<Untyped | undefined> {
    const status = object(object(await this.#call("GET", "/session/status"))[id]);
    return status.type === undefined || status.type === "idle" ? undefined : status;
  }

  /** The newest ones, oldest first. */
  async messages(id: string, limit?: number): Promise<readonly StoredMessage[]> {
    const query = limit === undefined ? "" : `?limit=${limit}`;
    const found = await this.#call("GET", `/session/${id}/message${query}`);
    return list(found).map(({ info, parts }) => ({ info: object(info), parts: list(parts) }));
  }

  async children(id: string): Promise<readonly string[]> {
    const found = list(await this.#call("GET", `/session/${id}/children`));
    return found.flatMap((session) => text(session.id) ?? []);
  }

  /** Those that wait for an answer, of all sessions of the folder. */
  async permissions(): Promise<readonly Untyped[]> {
    return list(await this.#call("GET", "/permission"));
  }

  /** Does nothing if another answer came first, or if the question is no longer open. */
  async answerPermission(id: string, body: { reply: "once" } | { reply: "reject"; message: string }): Promise<void> {
    await this.#call("POST", `/permission/${id}/reply`, body, { accept: 404 });
  }

  async #call(method: string, path: string, body?: object, { accept }: { accept?: number } = {}): Promise<unknown> {
    const url = new URL(this.#server.url + path);
    url.searchParams.set("directory", this.#folder);
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        headers: { ...this.#server.headers, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(deadline),
      });
    } catch (cause) {
      // Time for the news of the server's end to arrive, which takes another way than the end of a connection.
      const late = new Promise<undefined>((resolve) => setTimeout(resolve, 200, undefined));
      const why = await Promise.race([this.#server.ended, late]);
      throw failed("host-failed", why ?? `OpenCode does not answer at ${this.#server.url}: ${String(cause)}`, {
        hint: "Check that its server is running and that the address is correct.",
        cause,
      });
    }
    const answer = await response.text();
    if (response.ok) return answer === "" ? undefined : JSON.parse(answer);
    if (response.status !== accept) throw refusal(`${method} ${path}`, response.status, answer);
    return undefined;
  }
}

function refusal(what: string, status: number, answer: string): HostError {
  let said = answer.slice(0, 500);
  try {
    const { data, message } = object(JSON.parse(answer));
    said = text(object(data).message) ?? text(message) ?? said;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (status === 404 && what.includes("/session/")) return failed("session-gone", `OpenCode: ${said}`);
  if (status === 401) {
    return failed("host-failed", "OpenCode's server requires a password.", {
      hint: "Pass the value of that server's OPENCODE_SERVER_PASSWORD.",
    });
  }
  return failed("host-failed", `OpenCode answers ${what} with ${status}: ${said}`);
}

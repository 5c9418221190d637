// OpenCode's HTTP interface, as far as it is used here.
import { relative, resolve } from "node:path";
import { opencodeRoot } from "../../entities/worktree.ts";
import { failed, list, object, text, type Untyped } from "./failure.ts";
import type { Server } from "./server.ts";

/** The first request in a folder loads the user's plugins, which may have to be installed first. */
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

  /** Turns a path that is relative to OpenCode's root into one that is relative to the folder. */
  fromFolder(path: string): string {
    return relative(this.#folder, resolve(opencodeRoot(this.#folder), path));
  }

  /** What a session is doing: busy, or about to retry; `undefined` if it is idle. */
  async status(id: string): Promise<Untyped | undefined> {
    const status = object(object(await this.call("GET", "/session/status"))[id]);
    return status.type === undefined || status.type === "idle" ? undefined : status;
  }

  /** A session's newest messages, oldest first. */
  async messages(id: string, limit?: number): Promise<readonly StoredMessage[]> {
    const query = limit === undefined ? "" : `?limit=${limit}`;
    const found = await this.call("GET", `/session/${id}/message${query}`);
    return list(found).map(({ info, parts }) => ({ info: object(info), parts: list(parts) }));
  }

  /** Sends one request. An answer with the status `accept` is not a failure. */
  async call(method: string, path: string, body?: object, accept?: number): Promise<unknown> {
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
      // A connection ends before the news that its server has ended arrives: wait for that a little.
      const late = new Promise<undefined>((resolve) => setTimeout(resolve, 200, undefined));
      const why = await Promise.race([this.#server.ended, late]);
      throw failed("host-failed", why ?? `OpenCode is not responding at ${this.#server.url}: ${String(cause)}`, {
        hint: "Check that its server is running and that the address is correct.",
        cause,
      });
    }
    const answer = await response.text();
    if (response.ok) return answer === "" ? undefined : JSON.parse(answer);
    if (response.status === accept) return undefined;
    let said = answer.slice(0, 500);
    try {
      const { data, message } = object(JSON.parse(answer));
      said = text(object(data).message) ?? text(message) ?? said;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    if (response.status === 404 && path.includes("/session/")) throw failed("session-gone", `OpenCode: ${said}`);
    if (response.status === 401) {
      const hint = "Pass the value of that server's OPENCODE_SERVER_PASSWORD.";
      throw failed("host-failed", "OpenCode's server requires a password.", { hint });
    }
    throw failed("host-failed", `OpenCode answers ${method} ${path} with ${response.status}: ${said}`);
  }
}

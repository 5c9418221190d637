// The server of `atomic ui`, on this machine only. It hands out one page, what happens in the runs, and what nodes have said; it
// takes what a person decides.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isExplained } from "@atomic/durable-files/explained-error";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import { type PageMessage, type WaitingCount, waitingRuns } from "./draw/messages.ts";
import { type Admission, LinkGuard } from "./link-guard.ts";
import { type LivePage, livePage } from "./live-page.ts";
import { readNode } from "./node-detail.ts";
import { perform, type RunActions } from "./run-actions.ts";
import { RunFeed } from "./run-feed.ts";
import { RunLines } from "./run-lines.ts";

export interface PageOptions extends RunActions {
  /** The name of the project, for the page's title. */
  readonly project: string;
  readonly script: string;
  /** Called when a browser has used a link. */
  readonly onAdmitted: () => void;
}

/** How often new runs are looked for, while a page is open: less often if that takes long. */
const listEveryMs = { least: 1000, most: 5000 };
/** The page says when runs could not be read for this long. */
const outageMs = 3000;
/** Proxies and browsers give up connections that are silent for long, and so does the page. */
const beatMs = 20_000;
/** The engine refuses long answers; what is far longer is not even kept in memory. */
const longestRequest = 2_000_000;

export class PageServer implements AsyncDisposable {
  readonly #options: PageOptions;
  readonly #engine: LocalEngine;
  readonly #page: LivePage;
  readonly #server: Server;
  readonly #lines: RunLines;
  readonly #feeds = new Map<string, RunFeed>();
  readonly #pages = new Map<ServerResponse, (message: PageMessage) => void>();
  #guard: LinkGuard | undefined;
  /** How many have used a link. */
  #browsers = 0;
  #isListing = false;
  /** Why runs cannot be read at the moment. */
  #outage: string | undefined;

  constructor(options: PageOptions) {
    this.#options = options;
    this.#engine = options.engine;
    this.#page = livePage(options.project, options.script);
    this.#lines = new RunLines(options.engine);
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else sendText(response, isExplained(error) ? 404 : 500, (error as Error).message);
      });
    });
  }

  /** Listens on a free port of this machine. Returns the first link. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    this.#guard = new LinkGuard((this.#server.address() as AddressInfo).port);
    return this.#guard.newLink();
  }

  /** A link for another browser. An earlier one that was not used is no longer valid. */
  newLink(): string {
    return this.#guard!.newLink();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stream of this.#pages.keys()) stream.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", headers } = request;
    for (const [name, value] of Object.entries(safeHeaders)) response.setHeader(name, value);
    if (!URL.canParse(request.url ?? "", "http://127.0.0.1")) return sendText(response, 400, "This is not an address.");
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    const guard = this.#guard!;
    const verdict: Admission = guard.judge({
      ...{ method, url, host: headers.host, origin: headers.origin, cookie: headers.cookie },
      fetchSite: headers["sec-fetch-site"] as string | undefined,
    });
    if (verdict.kind === "refused") return sendText(response, verdict.status, verdict.reason);
    if (verdict.kind === "admitted") {
      response.setHeader("set-cookie", verdict.cookie);
      this.#browsers += 1;
      this.#tell({ type: "browsers", count: this.#browsers });
      this.#options.onAdmitted();
    }
    const parts = url.pathname.slice(guard.place.length).split("/").map(decoded);
    const [place, runId = "", what] = parts;
    if (parts.includes(undefined)) return sendText(response, 400, "This is not an address.");
    if (method === "GET" && place === "") {
      response.setHeader("content-security-policy", this.#page.policy);
      return send(response, 200, "text/html; charset=utf-8", this.#page.html);
    }
    if (method === "GET" && place === "events") return this.#stream(url, response);
    if (method === "GET" && place === "waiting") {
      if (!this.#isListing) for await (const change of this.#lines.changes()) this.#tell({ type: "runs", ...change });
      return sendJson(response, 200, { waiting: waitingRuns(this.#lines.all) } satisfies WaitingCount);
    }
    if (method === "GET" && place === "runs" && what === "node") {
      const state = await this.#engine.state(runId);
      const notes = this.#feeds.get(runId)?.notes ?? (await this.#engine.notes(runId)());
      return sendJson(response, 200, await readNode(this.#engine, state, url.searchParams.get("path") ?? "", notes));
    }
    if (method === "POST" && place === "runs" && what === undefined) {
      const body = await bodyOf(request);
      if (body === undefined)
        return sendJson(response, 413, {
          ok: false,
          message: "An answer can have at most 1 MB; write it to a file and send the file's name.",
        });
      const reply = await perform(this.#options, runId, body.json);
      return sendJson(response, reply.ok ? 200 : 409, reply);
    }
    sendText(response, 404, "There is nothing here.");
  }

  /** Everything that happens, until the page is closed. */
  #stream(url: URL, response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream", "x-accel-buffering": "no" });
    const hear = (message: PageMessage): void => {
      response.write(`data: ${JSON.stringify(message)}\n\n`);
    };
    hear({ type: "runs", runs: this.#lines.all, removed: [], isAll: this.#lines.isComplete });
    hear({ type: "outage", message: this.#outage });
    hear({ type: "browsers", count: this.#browsers });
    this.#pages.set(response, hear);
    void this.#list();
    const runId = url.searchParams.get("run");
    const leave = runId === null ? () => undefined : this.#follow(runId, hear);
    const beat = setInterval(() => hear({ type: "beat" }), beatMs);
    response.once("close", () => {
      clearInterval(beat);
      leave();
      this.#pages.delete(response);
    });
  }

  /** A run that no page shows any more is forgotten. */
  #follow(runId: string, hear: (message: PageMessage) => void): () => void {
    const feed = this.#feeds.get(runId) ?? new RunFeed(this.#engine, runId, this.#options.now);
    this.#feeds.set(runId, feed);
    const leave = feed.listen(hear);
    return () => {
      leave();
      if (!feed.isHeard) this.#feeds.delete(runId);
    };
  }

  /** Looks for changes of the list while anyone looks at it. */
  async #list(): Promise<void> {
    if (this.#isListing) return;
    this.#isListing = true;
    while (this.#pages.size > 0) {
      const began = performance.now();
      const late = setTimeout(
        () => this.#report(this.#outage ?? "The runs cannot be read at the moment. Trying again…"),
        outageMs,
      );
      try {
        for await (const change of this.#lines.changes()) this.#tell({ type: "runs", ...change });
        this.#report(undefined);
      } catch (error) {
        // Whatever the error, the server continues: the next attempt may work.
        const { message } = error as Error;
        this.#report(isExplained(error) ? message : `The runs cannot be read: ${message}. Trying again…`);
      } finally {
        clearTimeout(late);
      }
      const pauseMs = Math.min(listEveryMs.most, Math.max(listEveryMs.least, 20 * (performance.now() - began)));
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
    }
    this.#isListing = false;
  }

  #report(message: string | undefined): void {
    if (message === this.#outage) return;
    this.#outage = message;
    this.#tell({ type: "outage", message });
  }

  #tell(message: PageMessage): void {
    for (const hear of this.#pages.values()) hear(message);
  }
}

/** For every answer, also a refusal. */
const safeHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Undefined if it is not encoded as addresses are. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Undefined if it is too long; without JSON if it is none. */
async function bodyOf(request: IncomingMessage): Promise<{ readonly json?: unknown } | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    // The rest is read, too: a browser shows an answer only after it has sent everything.
    if (bytes <= longestRequest) pieces.push(piece);
  }
  if (bytes > longestRequest) return undefined;
  try {
    return { json: JSON.parse(Buffer.concat(pieces).toString("utf8")) };
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type }).end(body);
}

function sendText(response: ServerResponse, status: number, text: string): void {
  send(response, status, "text/plain; charset=utf-8", `${text}\n`);
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  send(response, status, "application/json", JSON.stringify(value));
}

// Connections to the database, and what to do when it is away for a moment.
import { RunError } from "@atomic/workflows/internal/run/run-error";
import { Client, Pool, type QueryResultRow } from "pg";
import type { EngineUrl } from "./engine-url.ts";
import { roleNames } from "./migrations.ts";

/** How long a statement waits for a database that restarts or fails over. */
const defaultPatienceMs = 30_000;

/** How long a statement may take: a router that has forgotten a connection does not say so. */
const defaultStatementMs = 30_000;

/** How long a server that accepts a connection may take to greet. */
const connectionTimeoutMillis = 10_000;

/** Before the first repetition, and at most. */
const retryMs = { first: 10, longest: 400 };

export interface StatementLimits {
  /** How long a statement is repeated while the database is away, once it has answered. */
  readonly patienceMs: number;
  /** When a connection that does not answer is given up, and the statement sent over another one. */
  readonly statementMs: number;
}

interface StatementOptions<Row> {
  /** Whether the statement had been executed, and with what result. */
  readonly arrived?: () => Promise<Row[] | undefined>;
  readonly statementMs?: number;
}

export class Database {
  readonly url: EngineUrl;
  readonly #pool: Pool;
  readonly #patienceMs: number;
  readonly #statementMs: number;
  #isPatient = true;
  #isClosed = false;
  /** A database that never answered is not waited for. */
  #hasAnswered = false;

  constructor(
    url: EngineUrl,
    { patienceMs = defaultPatienceMs, statementMs = defaultStatementMs }: Partial<StatementLimits> = {},
  ) {
    this.url = url;
    this.#patienceMs = patienceMs;
    this.#statementMs = statementMs;
    // A command that has its answer may end while connections are idle.
    const options = { connectionString: url.connection, keepAlive: true, application_name: "atomic" };
    this.#pool = new Pool({ ...options, max: 4, allowExitOnIdle: true, connectionTimeoutMillis });
    // The next statement gets a new connection.
    this.#pool.on("error", () => undefined);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Executes one statement. If the connection breaks or is silent, it is repeated, so it must have the same effect when it is
   * executed twice.
   */
  async query<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
    { arrived, statementMs = this.#statementMs }: StatementOptions<Row> = {},
  ): Promise<Row[]> {
    const patienceMs = this.#hasAnswered ? this.#patienceMs : 0;
    let until: number | undefined;
    for (let waitMs = 0; ; waitMs = Math.min(retryMs.longest, 2 * waitMs || retryMs.first)) {
      try {
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        const known = waitMs > 0 ? await arrived?.() : undefined;
        if (known !== undefined) return known;
        const limited = { text, values: [...values], query_timeout: statementMs };
        const { rows } = await this.#pool.query<Row>(limited);
        this.#hasAnswered = true;
        return rows;
      } catch (error) {
        until ??= performance.now() + patienceMs;
        if (!isPassing(error) || !this.#isPatient || performance.now() >= until) throw explain(error, this.url);
      }
    }
  }

  /** A connection of its own, for what belongs to a connection: a lock, and notifications. */
  async connectAlone(): Promise<Client> {
    const options = { connectionString: this.url.connection, keepAlive: true, application_name: "atomic" };
    const client = new Client({ ...options, connectionTimeoutMillis });
    client.on("error", () => undefined); // reported by `end`
    try {
      await client.connect();
      return client;
    } catch (error) {
      throw explain(error, this.url);
    }
  }

  /** From now on, a statement that the database does not answer is not repeated, because its process is about to end. */
  stopWaiting(): void {
    this.#isPatient = false;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.stopWaiting();
    await this.#pool.end();
  }
}

const passingStates = /^(08...|57P0[123]|53300|40001|40P01|25006)$/;
// The network and its names may be away, too. A wrong name is still reported at once, because a first statement is not repeated.
const passingCodes = new Set(
  "ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOENT EAI_AGAIN ENOTFOUND EHOSTUNREACH ENETUNREACH".split(" "),
);

/** Whether the same statement may succeed in a moment. */
function isPassing(error: unknown): boolean {
  const { code = "", message = "" } = error as { readonly code?: string; readonly message?: string };
  return (
    passingStates.test(code) ||
    passingCodes.has(code) ||
    /connection (terminated|timeout|error)|timeout exceeded|read timeout/i.test(message)
  );
}

/** Whether the database cannot be reached now. */
export function isAway(error: unknown): boolean {
  return (error instanceof RunError && error.code === "unreachable") || isPassing(error);
}

/** Turns an error of the driver into one that says what to do. */
export function explain(cause: unknown, { shown, schema, connection }: EngineUrl): unknown {
  if (cause instanceof RunError) return cause;
  const { code = "", message = String(cause) } = cause as { readonly code?: string; readonly message?: string };
  if (code === "42P01" || code === "3F000" || code === "42883") {
    return new RunError("unreachable", {
      message: `The database ${shown} has no tables for runs in the schema ${schema}`,
      hint: `Create them with: atomic engine migrate --engine ${shown}`,
      cause,
    });
  }
  // Our statements are right, so it is the only word in them that is not ours.
  if (code === "42601" || code === "42939") {
    return new RunError("bad-request", {
      message: `Postgres reserves the name of the schema ${schema}: ${message}`,
      hint: "Choose another one, such as ?schema=atomic.",
      cause,
    });
  }
  if (code === "42501") {
    const { client, worker } = roleNames(schema);
    return new RunError("not-writable", {
      message: `The database refuses this: ${message}`,
      hint: `Starting and answering runs needs the role ${client}; working on them or removing them needs ${worker}.`,
      cause,
    });
  }
  if (code === "28P01" || code === "28000" || /password/i.test(message)) {
    return new RunError("unreachable", {
      message: `The database ${shown} refused the login: ${message}`,
      hint: "Set PGPASSWORD, or add a line for this server to ~/.pgpass.",
      cause,
    });
  }
  if (code === "3D000") {
    return new RunError("unreachable", { message, hint: "Create it, or correct the engine's URL.", cause });
  }
  if (!isPassing(cause) && !(code.startsWith("E") && code.length > 5)) return cause;
  const { host } = new URL(connection);
  return new RunError("unreachable", {
    message: `The database at ${host} does not answer: ${message || code}`,
    hint: "Nothing is lost: repeat the command when it is back.",
    cause,
  });
}

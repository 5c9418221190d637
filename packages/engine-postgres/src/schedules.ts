// Runs that start by themselves, by the database's clock.

import { objectIn } from "@atomic/durable-files/jsonc/object-in";
import { checkName } from "@atomic/durable-files/safety/names";
import type { StartRequest } from "@atomic/workflows/internal/run/engine";
import { RunError } from "@atomic/workflows/internal/run/run-error";
import { Cron } from "croner";
import type { Database } from "./database.ts";
import { migrations } from "./migrations.ts";

export interface Schedule {
  readonly name: string;
  /** Five fields, in UTC. */
  readonly cron: string;
  readonly isPaused: boolean;
  /** Undefined if it cannot be read: a client may write anything. */
  readonly next: Date | undefined;
  readonly request: Omit<StartRequest, "runId">;
  readonly creator: string;
}

export async function addSchedule(
  database: Database,
  name: string,
  cron: string,
  request: Omit<StartRequest, "runId">,
): Promise<Date> {
  const next = nextAfter(cron, await nowOf(database));
  try {
    checkName(runIdAt(name, next));
  } catch (cause) {
    const { message, hint } = cause as Error & { hint?: string };
    throw new RunError("bad-request", {
      message: `A run's id cannot begin with the schedule's name: ${message}`,
      cause,
      hint,
    });
  }
  const rows = await database.query(
    `insert into ${database.url.schema}.schedule (name, cron, request, needs, next) values ($1, $2, $3, $4, $5)
     on conflict do nothing returning name`,
    [name, cron, JSON.stringify(request), request.needs ?? [], next],
  );
  if (rows.length > 0) return next;
  throw new RunError("bad-request", {
    message: `There is already a schedule ${name}`,
    hint: `Remove it first, or choose another name with --name.`,
  });
}

export async function listSchedules(database: Database): Promise<Schedule[]> {
  const rows = await database.query<ScheduleRow>(`select * from ${database.url.schema}.schedule order by name`);
  return rows.map(({ name, cron, is_paused: isPaused, next, request, creator }) => ({
    ...{ name, cron, isPaused, creator },
    next: isTime(next) ? next : undefined,
    request: readRequest(request) ?? { graph: null, input: null },
  }));
}

/** Undefined if nothing can be started with it: a client may write anything. */
function readRequest(text: string): Schedule["request"] | undefined {
  const read = objectIn(text);
  const { needs = [], budget = {} } = read ?? {};
  const isList = Array.isArray(needs) && needs.every((host) => typeof host === "string");
  const isUsable = isList && typeof budget === "object" && budget !== null;
  return isUsable ? (read as Schedule["request"] | undefined) : undefined;
}

interface ScheduleRow {
  readonly name: string;
  readonly cron: string;
  readonly request: string;
  readonly is_paused: boolean;
  readonly next: Date;
  readonly creator: string;
}

/** A schedule that continues does not make up for what it missed. */
export async function pauseSchedule(database: Database, name: string, isPaused: boolean): Promise<void> {
  const { schema } = database.url;
  const [row] = await database.query<ScheduleRow>(`select * from ${schema}.schedule where name = $1`, [name]);
  if (row === undefined) throw unknown(name);
  await database.query(`update ${schema}.schedule set is_paused = $2, next = $3 where name = $1`, [
    name,
    isPaused,
    nextAfter(row.cron, await nowOf(database)),
  ]);
}

export async function removeSchedule(database: Database, name: string): Promise<void> {
  const text = `delete from ${database.url.schema}.schedule where name = $1 returning name`;
  if ((await database.query(text, [name])).length === 0) throw unknown(name);
}

export interface StartedSchedules {
  /** The runs' ids. */
  readonly started: readonly string[];
  /** Schedules that cannot be started as they are. They are paused, so they keep no worker from the others. */
  readonly problems: readonly { readonly schedule: string; readonly problem: string }[];
}

/**
 * Starts what is due. The run's id contains the time, so however many workers do this, each time starts one run; a worker
 * that dies in between loses none. Starts nothing in tables of another version: their schedules may mean something else.
 */
export async function startDue(
  database: Database,
  start: (request: StartRequest) => Promise<"started" | "exists">,
): Promise<StartedSchedules> {
  const { schema } = database.url;
  const active = await database.query<ScheduleRow & { now: Date }>(
    `select *, clock_timestamp() as now from ${schema}.schedule
     where not is_paused and (select max(version) from ${schema}.version) = $1`,
    [migrations.length],
  );
  const move = async (name: string, from: Date, to: Date): Promise<void> => {
    // A time of the database may have microseconds, which a Date does not.
    const text = `update ${schema}.schedule set next = $3 where name = $1 and date_trunc('milliseconds', next) = $2`;
    await database.query(text, [name, from, to]);
  };
  const started: string[] = [];
  const problems: { readonly schedule: string; readonly problem: string }[] = [];
  for (const { name, cron, next, request, now } of active) {
    try {
      if (!isTime(next)) throw new RunError("bad-request", { message: "The time at which it is due cannot be read" });
      if (next > now) {
        // A clock that was ahead and has been corrected must not make the schedule skip the time in between.
        const earlier = nextAfter(cron, now);
        if (earlier < next) await move(name, next, earlier);
        continue;
      }
      const runId = runIdAt(name, next);
      const read = readRequest(request);
      if (read === undefined) throw new RunError("bad-request", { message: "What it starts cannot be read" });
      const { needs, ...rest } = read;
      if ((await start({ ...rest, runId, ...(needs && { needs }) })) === "started") started.push(runId);
      // Times that passed while no worker was there are one run, not many.
      await move(name, next, nextAfter(cron, await nowOf(database)));
    } catch (error) {
      if (!(error instanceof RunError && error.code === "bad-request")) throw error;
      problems.push({ schedule: name, problem: error.message });
      await database.query(`update ${schema}.schedule set is_paused = true where name = $1`, [name]);
    }
  }
  return { started, problems };
}

/** The database also knows years that a Date does not, and infinity. */
function isTime(time: Date): boolean {
  return time instanceof Date && !Number.isNaN(time.getTime());
}

function runIdAt(name: string, time: Date): string {
  return `${name}-${time.toISOString().replace(/[-:]/g, "").slice(0, 13).toLowerCase()}`;
}

/** The library also accepts dates, seconds, nicknames and letters that not every cron knows. */
function isFiveFields(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  const names = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat/gi;
  return fields.length === 5 && fields.every((field) => /^[\d*,/-]+$/.test(field.replace(names, "1")));
}

function nextAfter(cron: string, now: Date): Date {
  let next: Date | null;
  try {
    if (!isFiveFields(cron)) throw new Error("it does not have five fields of numbers, names, and * , - /");
    next = new Cron(cron, { timezone: "UTC", mode: "5-part" }).nextRun(now);
  } catch (cause) {
    const message = `${JSON.stringify(cron)} is not a schedule: ${cause instanceof Error ? cause.message : cause}`;
    throw new RunError("bad-request", { message, hint: 'Write five fields, such as "0 3 * * *" for 3:00 UTC.', cause });
  }
  if (next !== null) return next;
  throw new RunError("bad-request", {
    message: `${JSON.stringify(cron)} is never due`,
    hint: "Check its day and month.",
  });
}

async function nowOf(database: Database): Promise<Date> {
  const [row] = await database.query<{ now: Date }>("select clock_timestamp() as now");
  return row?.now ?? new Date();
}

function unknown(name: string): RunError {
  return new RunError("run-not-found", {
    message: `There is no schedule ${name}`,
    hint: "`atomic schedule list` lists them.",
  });
}

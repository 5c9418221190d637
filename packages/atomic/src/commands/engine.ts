import { type AtomicCommand, commandOf } from "../command.ts";
import { engineOption } from "../options.ts";
import { type Fact, factSheet } from "../report/facts.ts";
import { documentOf } from "../report/path.ts";
import { requireEngine } from "../runs/engine-for.ts";

export const engineMigrate: AtomicCommand = commandOf({
  name: "engine migrate",
  summary: "Create or update the tables for runs in a database",
  arguments: {},
  options: { engine: engineOption },
  details: [
    "Everything happens in one transaction, or nothing does. Tables change only forwards: an older atomic refuses a newer database. Two roles are created, for those who start and answer runs and for those who work on them; grant them to your database users.",
  ],
  examples: [{ command: "atomic engine migrate --engine postgres://admin@db/atomic", shows: "Prepare a database." }],
  run: async (context, { engine }) => {
    const { where, url } = await requireEngine(context, engine);
    const [{ Database }, { parseEngineUrl }, { migrate }, { roleNames }] = await Promise.all([
      import("@atomic/engine-postgres/database"),
      import("@atomic/engine-postgres/engine-url"),
      import("@atomic/engine-postgres/migrate"),
      import("@atomic/engine-postgres/migrations"),
    ]);
    const database = new Database(parseEngineUrl(url));
    try {
      return { where, url, ...(await migrate(database)), roles: roleNames(database.url.schema) };
    } finally {
      await database.close();
    }
  },
  report: {
    text: ({ from, to }) =>
      from === to ? `The tables are up to date (version ${to}).\n` : `The tables are now at version ${to}.\n`,
    notes: ({ hasRoles, roles: { client, worker } }) =>
      hasRoles
        ? `Starting and answering runs needs the role ${client}; working on them needs ${worker}.\n`
        : `The roles ${client} and ${worker} are missing: this user may not create roles. Create both, and migrate again.\n`,
    json: ({ where, url, from, to, hasRoles, roles }) => documentOf(where, { engine: url, from, to, hasRoles, roles }),
    exitCode: () => 0,
  },
});

export const engineCheck: AtomicCommand = commandOf({
  name: "engine check",
  summary: "Check the connection to a database with runs, and say what works",
  arguments: {},
  options: { engine: engineOption },
  examples: [{ command: "atomic engine check", shows: "Check the database in $ATOMIC_ENGINE." }],
  run: async (context, { engine }) => {
    const { where, url } = await requireEngine(context, engine);
    const { checkEngine } = await import("@atomic/engine-postgres/check-engine");
    return { where, url, check: await checkEngine(url, context.now) };
  },
  report: {
    text: ({ url, check }, page) => {
      const { server, user, tables, mode, because, mayStart, mayWork, roundTripMs, clockMs } = check;
      const rights = mayWork ? "start, answer and work on runs" : mayStart ? "start and answer runs" : "look at runs";
      const facts: Fact[] = [
        ["server", server],
        ["user", `${user}; may ${rights}`],
        ["tables", `version ${tables}`],
        ["mode", `${mode}: ${because}`],
        ["answers", `in ${roundTripMs.toFixed(1)} ms`],
        ["clock", `${Math.abs(clockMs)} ms ${clockMs < 0 ? "behind" : "ahead of"} this machine's`],
      ];
      return factSheet("engine", url, facts, page);
    },
    notes: ({ check: { mode } }) =>
      mode === "session"
        ? ""
        : "Without a connection of its own, a process that died is noticed when its lease is over (15 s), and answers arrive up to 0.2 s later.\n",
    json: ({ where, url, check }) => documentOf(where, { engine: url, ...check }),
    exitCode: () => 0,
  },
});

import { DurableError } from "@atomic/durable-files/errors";
import { type Cell, type Column, formatTable } from "@atomic/terminal/table";
import { paragraph } from "@atomic/terminal/wrap";
import { waitsForPerson } from "../run/gates.ts";
import type { RunState } from "../run/state.ts";
import { moment, money } from "../timeline/amounts.ts";
import type { Report } from "./command.ts";
import type { Project } from "./project.ts";

const columns: readonly Column[] = [
  { title: "run" },
  { title: "state" },
  { title: "phase", least: 8 },
  { title: "cost" },
  { title: "began", least: 10 },
  { title: "about", least: 10 },
];

export function listReport(project: Project): Report {
  const runs = project.runs().map(({ id }) => ({ id, state: readable(project, id) }));
  return {
    text: (page) =>
      runs.length === 0
        ? paragraph("There are no runs in this project yet; `/implement <feature>` in OpenCode starts one.", page, {
            indent: "",
          })
        : formatTable(
            columns,
            runs.map(({ id, state }) => row(id, state)),
            page,
          ),
    json: {
      runs: runs.map(({ id, state }) => ({ run: id, ...(state === undefined ? { unreadable: true } : facts(state)) })),
    },
  };
}

/** One that cannot be read is in the list, too. */
function readable(project: Project, id: string): RunState | undefined {
  try {
    return project.state(id);
  } catch (error) {
    if (error instanceof DurableError) return undefined;
    throw error;
  }
}

function row(id: string, state: RunState | undefined): readonly Cell[] {
  if (state === undefined) return [id, { text: "unreadable", colour: "red" }, "", "", "", ""];
  const { phase, spent, startedAt, description } = state;
  return [id, stateCell(state), phase, money(spent.run.usd), moment(startedAt), description];
}

function stateCell(state: RunState): Cell {
  switch (state.status.kind) {
    case "running":
      return waitsForPerson(state) ? { text: "waits for you", colour: "yellow" } : { text: "running", colour: "cyan" };
    case "paused":
      return { text: `paused (${state.status.reason})`, colour: "yellow" };
    case "done":
      return { text: "done", colour: "green" };
    case "cancelled":
      return "cancelled";
  }
}

function facts({ flow, workflow, description, status, phase, spent, startedAt, at }: RunState): object {
  return { flow, workflow, description, status, phase, spent: spent.run, startedAt, at };
}

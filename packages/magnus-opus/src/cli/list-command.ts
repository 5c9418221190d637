import { DurableError } from "@atomic/durable-files/errors";
import type { Command } from "@atomic/terminal/command";
import { type Cell, type Column, formatTable } from "@atomic/terminal/table";
import { paragraph } from "@atomic/terminal/wrap";
import { moment, money } from "@atomic/workflows/internal/view/page-amounts";
import { waitsForPerson } from "../run/gates.ts";
import type { MagnusState } from "../run/state.ts";
import { commandOf, type MagnusContext } from "./command.ts";

const columns: readonly Column[] = [
  { title: "run" },
  { title: "state" },
  { title: "phase", least: 8 },
  { title: "cost" },
  { title: "began", least: 10 },
  { title: "about", least: 10 },
];

export const listCommand: Command<MagnusContext> = commandOf(
  {
    name: "list",
    summary: "List the project's runs, newest first",
    arguments: {},
    options: {},
    examples: [{ command: "magnus-opus list", shows: "Show each run's id, status and description." }],
  },
  async ({ project: find }) => {
    const project = find();
    const runs = project.runs().map(({ id }): { id: string; state: MagnusState | undefined } => {
      try {
        return { id, state: project.state(id) };
      } catch (error) {
        // An unreadable run is still listed.
        if (error instanceof DurableError) return { id, state: undefined };
        throw error;
      }
    });
    const rows = runs.map(({ id, state }): readonly Cell[] => {
      if (state === undefined) return [id, { text: "unreadable", colour: "red" }, "", "", "", ""];
      const { status, phase, spent, startedAt, description } = state;
      let shown: Cell = { text: "running", colour: "cyan" };
      if (status.kind === "paused") shown = { text: `paused (${status.reason})`, colour: "yellow" };
      else if (status.kind === "done") shown = { text: "done", colour: "green" };
      else if (status.kind === "cancelled") shown = "cancelled";
      else if (waitsForPerson(state)) shown = { text: "waiting for you", colour: "yellow" };
      return [id, shown, phase, money(spent.run.usd), moment(startedAt), description];
    });
    const nothing = "There are no runs in this project yet; `/implement <feature>` in OpenCode starts one.";
    return {
      text: (page) => (rows.length === 0 ? paragraph(nothing, page, { indent: "" }) : formatTable(columns, rows, page)),
      json: {
        runs: runs.map(({ id, state }) => {
          if (state === undefined) return { run: id, unreadable: true };
          const { flow, workflow, description, status, phase, spent, startedAt, at } = state;
          return { run: id, flow, workflow, description, status, phase, spent: spent.run, startedAt, at };
        }),
      },
    };
  },
);

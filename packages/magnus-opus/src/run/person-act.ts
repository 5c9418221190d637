// Turns the words after a decision command into a person's action. Pure; OpenCode and the shell share it.
import { didYouMean } from "@atomic/terminal/suggest";
import type { Limits } from "./budget.ts";
import { withCommands } from "./command-names.ts";
import {
  type Act,
  type Acted,
  approve,
  cancel,
  chooseType,
  gatesOf,
  no,
  raisable,
  raiseBudget,
  reject,
  resume,
  waive,
} from "./person-actions.ts";
import { type PhaseName, waivable } from "./phase-name.ts";
import { phasesOf } from "./phases.ts";
import type { MagnusState } from "./state.ts";

export const acts = ["approve", "reject", "waive", "resume", "cancel", "raise"] as const;
export type ActName = (typeof acts)[number];

const types = ["UI_FOCUSED", "API_FOCUSED", "MIXED"] as const;
const limitNames = ["usd", "tokens", "ms", "minutes", "sessions", "depth", "iterations"] as const;

export function personAct(name: ActName, words: string, state: MagnusState, act: Act): Acted {
  const text = words.trim();
  const named = (ours: string): string => withCommands(ours, state.commandNames);
  switch (name) {
    case "approve": {
      if (text === "") return approve(state, act);
      // The dialog in OpenCode's terminal adds it; you never type it.
      const shown = /^--shown=(\S*)$/.exec(text)?.[1];
      if (shown !== undefined) return approve(state, act, shown);
      const said = /^--type[= ]\s*(\S+)$/i.exec(text)?.[1];
      if (said === undefined)
        return no(
          `"${text}" is not a valid option for ${named("/approve")}`,
          named("The only option is `--type=<type>`. To ask for changes: `/reject <what to change>`."),
        );
      const type = types.find((each) => each === said.toUpperCase() || each.split("_")[0] === said.toUpperCase());
      if (type !== undefined) return chooseType(state, act, type);
      return no(`"${said}" is not a workflow type`, meantOf(said, types));
    }
    case "reject": {
      const route = phasesOf(state);
      const earlier = route.slice(0, route.indexOf(state.phase) + 1);
      const { to, rest, wrong } = withoutTo(text, earlier, named("/reject"));
      if (wrong !== undefined) return wrong;
      const notes = unquoted(rest);
      if (notes === "")
        return no(
          "a rejection must say what to change",
          named("For example `/reject a smaller plan, without the settings page`."),
        );
      if (to === undefined) return reject(state, act, { notes });
      if (route.includes(to as PhaseName)) return reject(state, act, { notes, to: to as PhaseName });
      return no(`"${to}" is not a phase of this run`, meantOf(to, earlier));
    }
    case "waive": {
      const [first = "", ...rest] = text.split(/\s+/);
      const name = first.toLowerCase().replaceAll("-", "_");
      const gate = waivable.find((each) => each === name);
      if (gate !== undefined) return waive(state, act, { gate, why: unquoted(rest.join(" ")) });
      // A gate must be named: a misspelled one must not become the reason for waiving another.
      const [meant] = didYouMean(name, waivable);
      const here = gatesOf(state).join(", ");
      const hint = `${meant === undefined ? "" : `Did you mean ${meant}? `}In this phase you can waive ${here}: ${named("`/waive <gate> <reason>`")}.`;
      return no(first === "" ? "a waiver must name a gate" : `"${first}" is not a gate`, hint);
    }
    case "resume":
      return resume(state, act);
    case "cancel":
      return cancel(state, act, unquoted(text));
    case "raise": {
      // `usd=5 sessions=80`, or `phase.usd=2` for the current phase.
      const run: Record<string, number> = {};
      const phase: Record<string, number> = {};
      for (const word of text.split(/\s+/).filter((each) => each !== "")) {
        const found = /^(?<scope>phase\.)?(?<limit>\w+)=(?<amount>[\d.]+)$/.exec(word)?.groups;
        const limit = limitNames.find((each) => each === found?.limit?.toLowerCase());
        if (limit === undefined) {
          const [best] = didYouMean(found?.limit ?? "", limitNames);
          return no(
            `"${word}" is not a valid limit`,
            `${best === undefined ? "" : `Did you mean ${best}? `}${raisable(state)}`,
          );
        }
        const most = Number(found?.amount);
        const whose = found?.scope === undefined ? run : phase;
        if (limit === "minutes") whose.ms = most * 60_000;
        else whose[limit] = most;
      }
      const { iterations: maxIterations, ...limits } = run;
      return raiseBudget(state, act, { run: limits as Limits, phase: phase as Limits, maxIterations });
    }
  }
}

/** `--to <phase>` may be anywhere outside of quotes. Words after a lone `--` are never flags. */
function withoutTo(
  text: string,
  earlier: readonly PhaseName[],
  command: string,
): { readonly to?: string; readonly rest: string; readonly wrong?: Acted } {
  const flags = `The only option is \`--to=<phase>\`, with one of ${earlier.join(", ")}. Put other words that begin with -- in quotes, or after a lone --.`;
  let to: string | undefined;
  let rest = "";
  for (let at = 0; at < text.length; ) {
    const [word] = /^(?:\s+|"[^"]*"|'[^']*'|--to(?:=|\s+)[^\s-]\S*|\S+)/.exec(text.slice(at))!;
    if (word === "--")
      return {
        ...(to !== undefined && { to }),
        rest: rest === "" ? text.slice(at + 2).trim() : `${rest}${text.slice(at)}`,
      };
    at += word.length;
    const flag = /^--[a-z][^\s=]*/i.exec(word)?.[0];
    if (flag === undefined) {
      rest += rest === "" || /\s$/.test(rest) ? word.trimStart() : word;
      continue;
    }
    if (flag !== "--to") return { rest, wrong: no(`"${flag}" is not an option of ${command}`, flags) };
    if (to !== undefined) return { rest, wrong: no("--to is given twice", flags) };
    to = /^--to(?:=|\s+)(\S+)$/.exec(word)?.[1];
    if (to === undefined) return { rest, wrong: no("--to needs a phase", flags) };
  }
  return { ...(to !== undefined && { to }), rest: rest.trim() };
}

function meantOf(typed: string, known: readonly string[]): string {
  const [best] = didYouMean(typed, known);
  return best === undefined ? `There are ${known.join(", ")}.` : `Did you mean ${best}?`;
}

function unquoted(text: string): string {
  return /^"[^"]*"$|^'[^']*'$/s.test(text) ? text.slice(1, -1) : text;
}

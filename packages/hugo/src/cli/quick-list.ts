// `hugo list`, which people and their shells run all the time, without the program around it. In the bundle it is one
// file with the entry, as each further file takes longer than all that is done here.
import type { Page } from "@atomic/terminal/page";
import { findWorkflow } from "../manage/find-workflow.ts";
import type { Installed } from "../manage/installed.ts";
import { listedWorkflow } from "../manage/listed.ts";
import { quickLook } from "../manage/quick-look.ts";
import { placeFor } from "../place.ts";
import { homeFolder } from "../process-context.ts";
import { formatAnswer } from "../report/json.ts";
import { installedTable, listReport, type TableRow } from "../report/list.ts";

export interface AskedList {
  readonly name: string | undefined;
  readonly global: boolean;
  readonly json: boolean;
}

/** Undefined for another command, and for words about which there is more to say. */
export function readList([command, ...words]: readonly string[]): AskedList | undefined {
  if (command !== "list" && command !== "ls") return undefined;
  const names = words.filter((word) => !word.startsWith("-"));
  const flags = words.filter((word) => word.startsWith("-"));
  if (names.length > 1 || !flags.every((flag) => ["--json", "--global", "-g"].includes(flag))) return undefined;
  return { name: names[0], global: flags.some((flag) => flag !== "--json"), json: flags.includes("--json") };
}

/** The answer, or undefined if something is so unusual that the program has to give it. */
export function quickList(
  { name, global, json }: AskedList,
  { env, cwd }: Pick<NodeJS.Process, "env" | "cwd">,
  page: Page,
): string | undefined {
  const place = placeFor({ cwd: cwd(), home: homeFolder(env), env }, { global });
  const installed = quickLook(place);
  if (installed === undefined) return undefined;
  if (name === undefined && !json) return installedTable(rowsOf(installed), page);
  const names = name === undefined ? [...installed.workflows.keys()].sort() : [findWorkflow(installed, name)];
  const workflows = names.flatMap((each) => (each === undefined ? [] : listedWorkflow(place, installed, each)));
  if (workflows.length < names.length) return undefined;
  const result = { detailed: name !== undefined, workflows, notices: installed.notices };
  return json ? formatAnswer(result, listReport) : listReport.text(result, page);
}

/** One loop, as there may be hundreds: what is called for each of them a runtime begins to compile. */
function rowsOf({ workflows, entriesOf }: Installed): TableRow[] {
  const rows: TableRow[] = [];
  for (const name of [...workflows.keys()].sort()) {
    const workflow = workflows.get(name)!;
    const { delivery, parked } = workflow;
    const enabled = delivery === "copy" ? !parked : entriesOf(name).length > 0;
    rows.push({ ...workflow, name, enabled });
  }
  return rows;
}

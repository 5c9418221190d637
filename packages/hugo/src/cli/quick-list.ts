// `hugo list`, which people and their shells run all the time, without the program around it. In the bundle it is one
// file with the entry, as each further file takes longer than all that is done here.
import type { Page } from "@atomic/workflows/terminal/page";
import type { Installed } from "../manage/installed.ts";
import { quickLook } from "../manage/quick-look.ts";
import { placeFor } from "../place.ts";
import { homeFolder } from "../process-context.ts";
import { installedTable, type TableRow } from "../report/list.ts";

/** The answer, or undefined if something is so unusual that the program has to give it. */
export function quickList({ env, cwd }: Pick<NodeJS.Process, "env" | "cwd">, page: Page): string | undefined {
  const place = placeFor({ cwd: cwd(), home: homeFolder(env), env }, { global: false });
  const installed = quickLook(place);
  if (installed === undefined) return undefined;
  return installedTable(rowsOf(installed), page);
}

/** One loop, as there may be hundreds: what is called for each of them a runtime begins to compile. */
function rowsOf({ workflows, entriesOf }: Installed): TableRow[] {
  const rows: TableRow[] = [];
  for (const name of [...workflows.keys()].sort()) {
    const { version, package: packageName, agents, commands, skills, delivery, parked } = workflows.get(name)!;
    const enabled = delivery === "copy" ? !parked : entriesOf(name).length > 0;
    rows.push({ name, version, enabled, package: packageName, agents, commands, skills, delivery });
  }
  return rows;
}

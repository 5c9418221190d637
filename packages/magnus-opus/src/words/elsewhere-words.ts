import { type CommandNames, withCommands } from "../run/command-names.ts";
import { fill, words } from "./template.ts";

/** About a run that another process may drive. */
export function elsewhereWords(
  names: CommandNames,
  { id, why, hint }: { readonly id: string; readonly why: string; readonly hint: string },
): string {
  return fill(withCommands(words("elsewhere"), names), { run: id, why, hint });
}

// The names at which OpenCode, or another plugin, does something after a slash.
import { lookupKey } from "@atomic/workflows/internal/entities/qualified-name";
import type { Guard } from "@atomic/workflows/internal/view/guard";
import type { TerminalApi } from "@atomic/workflows/internal/view/terminal-api";

/** Our commands for workflows begin with it. */
export const ours = "atomic.run.";

/**
 * Our own, and those that OpenCode has only in a session, or only in some sessions. They are taken on all pages, so a name does not
 * change its meaning on the way from one to another.
 */
const always: readonly string[] = [
  ...["run", "runs", "compact", "summarize", "copy", "export", "fork", "redo", "rename", "share", "unshare", "undo"],
  ...["thinking", "toggle-thinking", "timeline", "timestamps", "toggle-timestamps", "init", "review"],
];

/** Something changes with each key that is pressed. */
const settledMs = 50;
/** Its server may only be starting. */
const retryMs = 5000;

export interface TakenNames {
  /** In any case. Names that were seen once count, because most of these commands exist only on a page. */
  readonly has: (name: string) => boolean;
  /** OpenCode's server has said which commands and skills it has. */
  readonly isComplete: () => boolean;
}

/** @param changed Other names are taken now, or it is complete now. */
export function takenNames(api: TerminalApi, guard: Guard, changed: () => void): TakenNames {
  const seen = new Set(always);
  let served: ReadonlySet<string> | undefined;
  let settling: NodeJS.Timeout | undefined;
  let retrying: NodeJS.Timeout | undefined;
  let asked = 0;
  let isOver = false;
  const look = (): void => {
    for (const { command } of api.keymap.getCommandEntries({ namespace: "palette" })) {
      const { name, slashName, slashAliases = [], hidden } = command;
      if (hidden === true || name.startsWith(ours) || slashName === undefined) continue;
      for (const each of [slashName, ...slashAliases]) seen.add(lookupKey(each));
    }
  };
  const lookAgain = (): void => {
    settling = undefined;
    const before = seen.size;
    look();
    if (seen.size > before) changed();
  };
  // It can take long: OpenCode waits for its MCP servers.
  const ask = async (): Promise<void> => {
    clearTimeout(retrying);
    const question = ++asked;
    const { data, error } = await api.client.command.list();
    // It was asked again meanwhile, and that answer is newer.
    if (question !== asked || isOver) return;
    if (data === undefined) {
      retrying = setTimeout(() => guard(ask), retryMs);
      throw new Error("OpenCode does not say which commands it has", { cause: error });
    }
    served = new Set(data.map(({ name }) => lookupKey(name)));
    changed();
  };
  const offs = [
    api.keymap.on("state", () => {
      settling ??= setTimeout(() => guard(lookAgain), settledMs);
    }),
    api.event.on("server.instance.disposed", () => guard(ask)),
  ];
  api.lifecycle.onDispose(() => {
    isOver = true;
    clearTimeout(settling);
    clearTimeout(retrying);
    for (const off of offs) off();
  });
  look();
  guard(ask);
  const has = (name: string): boolean => seen.has(lookupKey(name)) || served?.has(lookupKey(name)) === true;
  return { has, isComplete: () => served !== undefined };
}

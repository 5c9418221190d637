// The optional hooks are loaded with the first message, so that OpenCode starts without them.
import type { Magnus } from "../live/magnus.ts";
import type { TurnHooks } from "./turn-hooks.ts";

const loaded = new WeakMap<Magnus, Promise<TurnHooks>>();
const ready = new WeakMap<Magnus, TurnHooks>();

export async function turnHooksOf(magnus: Magnus): Promise<TurnHooks> {
  const known = loaded.get(magnus);
  if (known !== undefined) return await known;
  const loading = import("./turn-hooks.ts").then(({ TurnHooks: Hooks }) => {
    const hooks = new Hooks(magnus);
    ready.set(magnus, hooks);
    return hooks;
  });
  loaded.set(magnus, loading);
  return await loading;
}

/** If they are loaded. */
export function readyTurnHooksOf(magnus: Magnus): TurnHooks | undefined {
  return ready.get(magnus);
}

import type { Context } from "../context.ts";
import { jsonWatcher } from "./json-watcher.ts";
import { lineWatcher } from "./line-watcher.ts";
import { treeWatcher } from "./tree-watcher.ts";
import type { Watcher } from "./watcher.ts";

/** For programs JSON, for people a picture, and lines where nobody can draw. */
export function watcherFor(context: Context, json: boolean): Watcher {
  if (json) return jsonWatcher(context.stdout, context.stderr);
  // Lines say what a person has to type, a picture does not: and an agent at a terminal is not asked.
  const isDrawn = canDraw(context) && context.caller.agent() === undefined;
  return isDrawn ? treeWatcher(context.stderr, context) : lineWatcher(context.stderr);
}

export function canDraw({ stderr, env }: Context): boolean {
  return stderr.isTTY && env.TERM !== "dumb";
}

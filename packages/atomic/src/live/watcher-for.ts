import type { Context } from "../context.ts";
import { jsonWatcher } from "./json-watcher.ts";
import { lineWatcher } from "./line-watcher.ts";
import { treeWatcher } from "./tree-watcher.ts";
import type { Watcher } from "./watcher.ts";

/** For programs JSON, for people a picture, and lines where nobody can draw. */
export function watcherFor(context: Context, json: boolean): Watcher {
  if (json) return jsonWatcher(context.stdout, context.stderr);
  return canDraw(context) ? treeWatcher(context.stderr, context) : lineWatcher(context.stderr);
}

export function canDraw({ stderr, env }: Context): boolean {
  return stderr.isTTY && env.TERM !== "dumb";
}

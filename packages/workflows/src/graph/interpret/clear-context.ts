import type { ClearContextJson } from "../graph-json.ts";
import type { Scope } from "./scope.ts";

export async function runClearContext(scope: Scope, { session }: ClearContextJson, path: string): Promise<void> {
  const { ctx, memory, services } = scope;
  const names = Object.keys(memory.sessions).filter((name) => session === undefined || name === session);
  if (names.length === 0) return;
  const sessions = names.map((name) => memory.sessions[name] ?? null);
  await ctx.step(path, async (info) => {
    for (const each of sessions) await services.host.close(each, info);
    return names;
  });
  memory.forget(...names);
}

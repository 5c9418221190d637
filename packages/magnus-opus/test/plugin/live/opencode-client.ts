// An OpenCode client that only knows which session is whose child. Whole runs are tested on the real one.
import type { PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";
import type { Magnus } from "../../../src/plugin/live/magnus.ts";
import type { EventOf } from "../../../src/run/event.ts";
import { defaultRunOptions } from "../../../src/run/run-options.ts";
import { folderOf } from "../../../src/sessions/workplace.ts";

export const runId = "impl-20260118-143052-a1b2c3-profile";
export const parents = { ses_child: "ses_root", ses_deep: "ses_child", ses_other: "ses_stranger" };

/** `asked`: the sessions that were looked up; `shown`: the toasts. */
export function opencodeClient(
  directory: string,
  parentOf: Readonly<Record<string, string>> = parents,
): PluginContext & { readonly asked: string[]; readonly shown: string[] } {
  const asked: string[] = [];
  const shown: string[] = [];
  const session = {
    get: async ({ path }: { path: { id: string } }) => {
      asked.push(path.id);
      return { data: { id: path.id, parentID: parentOf[path.id] } };
    },
    children: async () => ({ data: [] }),
    messages: async () => ({ data: [] }),
    status: async () => ({ data: {} }),
  };
  const quiet = async () => ({});
  const showToast = async ({ body }: { body: { message: string } }) => void shown.push(body.message);
  const client = { session, app: { log: quiet }, tui: { showToast } };
  return { directory, worktree: directory, client, asked, shown } as unknown as ReturnType<typeof opencodeClient>;
}

export function started({ workplace }: Magnus, run = runId, session = "ses_root"): EventOf<"run-started"> {
  return {
    ...{ type: "run-started", at: 1, by: { kind: "plugin" }, run, flow: "implement", description: "a page" },
    ...{ workflow: "MIXED", session, worktree: workplace.worktree, folder: folderOf(workplace, run) },
    options: { ...defaultRunOptions, skipPlanReview: true },
  };
}

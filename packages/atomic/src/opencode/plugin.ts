// Atomic inside OpenCode's terminal: what your runs do, and what they ask.
import { afterFirstFrame, guard } from "@atomic/workflows/internal/view/guard";
import type { TerminalPlugin } from "@atomic/workflows/internal/view/terminal-api";

/** The only export: OpenCode reads nothing else. */
const plugin: TerminalPlugin = {
  id: "atomic",
  tui: async (api) => {
    const guarded = guard((failure) => api.ui.toast({ title: "Atomic", ...failure }));
    afterFirstFrame(api, () => guarded(async () => (await import("./terminal.ts")).showRuns(api)));
  },
};

export default plugin;

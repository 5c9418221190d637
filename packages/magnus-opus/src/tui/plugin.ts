// Magnus Opus inside OpenCode's terminal: where a run is, and what it waits for.
import { afterFirstFrame, guard } from "@atomic/workflows/internal/view/guard";
import type { TerminalPlugin } from "@atomic/workflows/internal/view/terminal-api";

/** The only export: OpenCode reads nothing else. */
const plugin: TerminalPlugin = {
  id: "magnus-opus",
  tui: async (api) => {
    const guarded = guard((failure) => api.ui.toast({ title: "Magnus Opus", ...failure }));
    afterFirstFrame(api, () => guarded(async () => (await import("./terminal.ts")).showPhases(api)));
  },
};

export default plugin;

// A plugin that notes how much CPU time OpenCode has used whenever a session becomes idle.
import { appendFileSync } from "node:fs";

export default {
  id: "cpu-probe",
  server: async () => ({
    event: async ({ event: { type, properties } }) => {
      if (type !== "session.idle") return;
      const { user, system } = process.cpuUsage();
      const line = { session: properties.sessionID, cpuMs: (user + system) / 1000, at: performance.now() };
      appendFileSync(process.env.CPU_PROBE, `${JSON.stringify(line)}\n`);
    },
  }),
};

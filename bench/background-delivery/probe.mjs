// A plugin that notes when OpenCode reports something, in OpenCode's own process: what travels to another process first would be late.
import { appendFileSync } from "node:fs";

export default {
  id: "probe",
  server: async () => ({
    event: async ({ event: { type, properties } }) => {
      const isEnd = type === "session.idle";
      const isMessage = type === "message.updated" && properties.info?.role === "user";
      if (!isEnd && !isMessage) return;
      const session = properties.sessionID ?? properties.info?.sessionID;
      const line = { at: performance.now(), type, session, message: properties.info?.id };
      appendFileSync(process.env.DELIVERY_PROBE, `${JSON.stringify(line)}\n`);
    },
  }),
};

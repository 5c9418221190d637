import * as z from "zod/mini";
import { statusOf } from "../commands/status.ts";
import type { MagnusTool } from "./tool.ts";

const given = z.object({ run: z.optional(z.string()) });

export const magnusStatus: MagnusTool = {
  name: "magnus_status",
  schema: { type: "object", properties: { run: { type: "string" } } },
  async run(magnus, args, { session }) {
    return await statusOf(magnus, session, z.safeParse(given, args).data?.run ?? "");
  },
};

// A process that sends a prompt to a host and says what comes: `bun send-prompt.ts <json>`. Made to be killed.
import { heavyHost } from "@atomic/testing/heavy";
import { claudeHost } from "../../src/hosts/claude.ts";
import { copilotHost } from "../../src/hosts/copilot.ts";
import type { Host, SessionOptions } from "../../src/hosts/host.ts";

export interface SendRequest {
  readonly host: "claude" | "copilot";
  readonly options: object;
  readonly session: SessionOptions;
  readonly prompt: string;
  readonly key: string;
}

if (import.meta.main) {
  const {
    host: name,
    options,
    session: sessionOptions,
    prompt,
    key,
  } = JSON.parse(process.argv[2] ?? "") as SendRequest;
  const sdk = heavyHost(name);
  if (!sdk.available) throw new Error(sdk.reason);
  const makers: Record<SendRequest["host"], (options: object) => Promise<Host>> = {
    claude: claudeHost,
    copilot: copilotHost,
  };
  const host = await makers[name]({ load: sdk.load, ...options });
  const session = await host.create(sessionOptions);
  console.log(`session ${session.id}`);
  for await (const event of session.send(prompt, { key })) {
    console.log(`event ${event.type}`);
    if (event.type === "permission") await event.answer("allow");
  }
  await host.dispose();
}

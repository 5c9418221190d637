// The hosts that can execute prompts. Each is loaded when a node first needs it.
import type { Host } from "./host.ts";
import type { Script, ScriptedAnswer } from "./scripted.ts";

export const hostNames = ["opencode", "claude", "copilot", "scripted"] as const;

export interface HostOptions {
  /** The project's folder. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The scripted host's script. */
  readonly script: Script | readonly ScriptedAnswer[] | undefined;
}

export function hostMakers({
  folder,
  env,
  script,
}: HostOptions): Readonly<Record<(typeof hostNames)[number], () => Promise<Host>>> {
  return {
    opencode: async () => {
      const { opencodeHost } = await import("./opencode.ts");
      // The password has OpenCode's own name.
      const { ATOMIC_OPENCODE_URL: url, OPENCODE_SERVER_PASSWORD: password } = env;
      return opencodeHost({ ...(url && { url }), ...(password && { password }) });
    },
    claude: async () => await (await import("./claude.ts")).claudeHost({ folder }),
    copilot: async () => await (await import("./copilot.ts")).copilotHost({ folder }),
    scripted: async () => (await import("./scripted.ts")).scriptedHost(script && { script }),
  };
}

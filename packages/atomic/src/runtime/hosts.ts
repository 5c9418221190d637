// Who can execute prompts. Each is loaded when a node first needs it.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Host } from "@atomic/workflows/hosts/host";
import type { Script, ScriptedAnswer } from "@atomic/workflows/hosts/scripted";
import { Refusal } from "../refusal.ts";

export const hostNames = ["opencode", "claude", "copilot", "scripted"] as const;

export type HostName = (typeof hostNames)[number];

export function isHostName(name: string): name is HostName {
  return (hostNames as readonly string[]).includes(name);
}

export interface HostOptions {
  /** Of the project. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the answers of the scripted host stand. */
  readonly script: string | undefined;
}

export function hostMakers({ folder, env, script }: HostOptions): Readonly<Record<HostName, () => Promise<Host>>> {
  return {
    opencode: async () => {
      const { opencodeHost } = await import("@atomic/workflows/hosts/opencode");
      // Its password goes by OpenCode's own name.
      const { ATOMIC_OPENCODE_URL: url, OPENCODE_SERVER_PASSWORD: password } = env;
      return opencodeHost({ ...(url && { url }), ...(password && { password }) });
    },
    claude: async () => {
      const { claudeHost } = await import("@atomic/workflows/hosts/claude");
      return await claudeHost({ folder });
    },
    copilot: async () => {
      const { copilotHost } = await import("@atomic/workflows/hosts/copilot");
      return await copilotHost({ folder });
    },
    scripted: async () => {
      const { scriptedHost } = await import("@atomic/workflows/hosts/scripted");
      return scriptedHost(script === undefined ? {} : { script: await readScript(script) });
    },
  };
}

/** A list of answers as JSON, or a module with a function that answers. */
async function readScript(path: string): Promise<Script | readonly ScriptedAnswer[]> {
  const script: unknown = path.endsWith(".json")
    ? JSON.parse(readFileSync(path, "utf8"))
    : ((await import(pathToFileURL(path).href)) as { readonly default?: unknown }).default;
  if (typeof script === "function") return script as Script;
  if (Array.isArray(script) && script.every(isAnswer)) return script;
  throw new Refusal(`${path} is no script`, {
    hint: "It is JSON, [{ prompt, reply }], or a module whose default export is a function from a prompt to a reply.",
  });
}

function isAnswer(value: unknown): value is ScriptedAnswer {
  const { prompt, reply } = (value ?? {}) as Partial<ScriptedAnswer>;
  return typeof prompt === "string" && typeof reply === "string";
}

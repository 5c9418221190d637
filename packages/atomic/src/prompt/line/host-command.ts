// How each host's own program is started: with a prompt, as an agent, with a model, in a session.

import type { NotStarted } from "../../other-programs.ts";

/** The hosts that have a program of their own to talk to. */
export const promptHosts = ["opencode", "claude", "copilot"] as const;
export type PromptHost = (typeof promptHosts)[number];

export interface HostRequest {
  /** What it gets as its first prompt. */
  readonly text?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** The session to continue; `last` for the newest. */
  readonly session?: string | undefined;
}

const titles: Readonly<Record<PromptHost, string>> = {
  opencode: "OpenCode",
  claude: "Claude Code",
  copilot: "Copilot",
};

export function hostTitle(host: PromptHost): string {
  return titles[host];
}

/** Why a host's program did not start, and what to do. */
export function whyNotStarted(host: PromptHost, { program, because }: NotStarted): string {
  const other = "or choose another host with /host.";
  if (because === "not-executable")
    return `${titles[host]} cannot be started: the file "${program}" may not be executed. Make it executable with chmod +x, ${other}`;
  const install = `npm install -g ${hostPackages[host]}`;
  return `${titles[host]} is not installed: there is no program "${program}". Install it with \`${install}\`, ${other}`;
}

/** How it is installed, if it is missing. */
const hostPackages: Readonly<Record<PromptHost, string>> = {
  opencode: "opencode-ai",
  claude: "@anthropic-ai/claude-code",
  copilot: "@github/copilot",
};

export function isPromptHost(name: string): name is PromptHost {
  return (promptHosts as readonly string[]).includes(name);
}

/** The program and its arguments. Values are joined to their flags, because a text may begin with a dash. */
export function hostCommand(host: PromptHost, { text, agent, model, session }: HostRequest): string[] {
  const flag = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`--${name}=${value}`];
  const common = [...flag("agent", agent), ...flag("model", model)];
  switch (host) {
    case "opencode":
      return [
        host,
        ...common,
        ...(session === "last" ? ["--continue"] : flag("session", session)),
        ...flag("prompt", text),
      ];
    case "claude":
      return [
        host,
        ...common,
        ...(session === "last" ? ["--continue"] : flag("resume", session)),
        ...(text === undefined ? [] : ["--", text]),
      ];
    case "copilot":
      return [
        host,
        ...common,
        ...(session === "last" ? ["--continue"] : flag("resume", session)),
        ...flag("interactive", text),
      ];
  }
}

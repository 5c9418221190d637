export const capabilityKinds = [
  "plugin-code",
  "registers",
  "workflow",
  "hook",
  "code",
  "dependency",
  "mcp",
  "shell",
  "file",
  "name",
  "agent",
  "script",
  "executable",
  "binary",
  "lifecycle",
  "substitution",
  "hidden",
] as const;

/** One thing that a package can do, or contains that could do something. */
export interface Capability {
  readonly kind: (typeof capabilityKinds)[number];
  /** Who can: a file, an agent, a server. */
  readonly subject: string;
  /** What: a command line, a permission, a kind of character. */
  readonly detail: string;
  /** Of an agent: how far it may go without asking. Rights that it does not have at all are missing. */
  readonly rights?: Readonly<Partial<Record<AgentRight, RightLevel>>>;
}

/** The detail of a dependency whose version is the installed one, but whose bytes are not. */
export const REPLACED = "published again with different content";

/** The rights of an agent that people want to know about first. */
export const agentRights = [
  "shell commands",
  "editing files",
  "the web",
  "other agents",
  "reading and searching",
  "leaving the project",
  "other tools",
] as const;
export type AgentRight = (typeof agentRights)[number];

export const rightLevels = ["without asking", "in part without asking", "after asking"] as const;
export type RightLevel = (typeof rightLevels)[number];

/** The same list for the same package, whatever order its files were read in. */
export function sortCapabilities(capabilities: readonly Capability[]): Capability[] {
  const keyed = new Map(
    capabilities.map((capability) => {
      const { kind, subject, detail } = capability;
      const rank = String(capabilityKinds.indexOf(kind)).padStart(2, "0");
      return [JSON.stringify([rank, subject, detail]), capability];
    }),
  );
  return [...keyed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, capability]) => capability);
}

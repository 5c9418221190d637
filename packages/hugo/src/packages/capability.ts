const capabilityKinds = [
  "plugin-code",
  "registers",
  "workflow",
  "hook",
  "code",
  "dependency",
  "mcp",
  "shell",
  "file",
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
}

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

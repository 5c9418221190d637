// Which model an agent gets to work with. Pure.

export interface Choices {
  /** What OpenCode would use, as `provider/model`. */
  readonly now: string | undefined;
  /** Whether the settings name a model for this agent. */
  readonly isSet: boolean;
  /** What the preset has for this agent, if one is on. */
  readonly preset: string | undefined;
  /** Of the session that delegated. */
  readonly parent: string | undefined;
  readonly connected: ReadonlySet<string>;
}

/** The model to use instead; undefined if it is right as it is, or nothing better is there. */
export function chooseModel({ now, isSet, preset, parent, connected }: Choices): string | undefined {
  if (!isSet && preset !== undefined && connected.has(preset)) return preset === now ? undefined : preset;
  if (now === undefined || connected.has(now)) return undefined;
  return parent !== undefined && connected.has(parent) ? parent : undefined;
}

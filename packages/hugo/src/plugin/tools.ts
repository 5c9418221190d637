/** An operation that a model may call. Nothing of it is loaded before that. */
export interface Tool {
  /** As the model calls it. */
  readonly name: string;
  readonly operation: string;
  /** It changes something, so that a person has to be asked. */
  readonly asks: boolean;
  /** The options that it may use. Those that loosen a check, such as --force, --allow-new and --yes, are for people. */
  readonly options: readonly string[];
}

export const tools: readonly Tool[] = [
  asking("install"),
  asking("update"),
  looking("list"),
  asking("remove"),
  looking("status"),
  asking("enable", ["all"]),
  asking("disable", ["all"]),
  asking("switch"),
  looking("health", ["all"]),
];

function asking(operation: string, options: readonly string[] = []): Tool {
  return { name: `hugo_${operation}`, operation, asks: true, options };
}

function looking(operation: string, options: readonly string[] = []): Tool {
  return { name: `hugo_${operation}`, operation, asks: false, options };
}

export const askingTools: readonly Tool[] = tools.filter(({ asks }) => asks);

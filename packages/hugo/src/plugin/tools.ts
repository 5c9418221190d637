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
  { name: "hugo_install", operation: "install", asks: true, options: [] },
  { name: "hugo_update", operation: "update", asks: true, options: [] },
  { name: "hugo_list", operation: "list", asks: false, options: [] },
  { name: "hugo_remove", operation: "remove", asks: true, options: [] },
  { name: "hugo_status", operation: "status", asks: false, options: [] },
  { name: "hugo_enable", operation: "enable", asks: true, options: ["all"] },
  { name: "hugo_disable", operation: "disable", asks: true, options: ["all"] },
  { name: "hugo_switch", operation: "switch", asks: true, options: [] },
  { name: "hugo_health", operation: "health", asks: false, options: ["all"] },
];

export const askingTools: readonly Tool[] = tools.filter(({ asks }) => asks);

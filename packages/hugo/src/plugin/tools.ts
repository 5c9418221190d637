/** A command that a model may call. It is loaded only then. */
export interface HugoTool {
  readonly name: string;
  readonly command: string;
  /** It changes something, so the user must be asked. */
  readonly asks: boolean;
  /** The options a model may use. Options that relax a check, such as --force, --allow-new and --yes, are for people. */
  readonly options: readonly string[];
}

export const tools: readonly HugoTool[] = [
  { name: "hugo_install", command: "install", asks: true, options: [] },
  { name: "hugo_update", command: "update", asks: true, options: [] },
  { name: "hugo_list", command: "list", asks: false, options: [] },
  { name: "hugo_remove", command: "remove", asks: true, options: [] },
  { name: "hugo_status", command: "status", asks: false, options: [] },
  { name: "hugo_enable", command: "enable", asks: true, options: ["all"] },
  { name: "hugo_disable", command: "disable", asks: true, options: ["all"] },
  { name: "hugo_switch", command: "switch", asks: true, options: [] },
  { name: "hugo_health", command: "health", asks: false, options: ["all"] },
];

export const askingTools: readonly HugoTool[] = tools.filter(({ asks }) => asks);

/** OpenCode's own short names, if the settings claim them. */
export const claimedCommands: Readonly<Record<string, string>> = { review: "magnus-review", help: "magnus-help" };

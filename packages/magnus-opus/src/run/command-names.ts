// Our commands have other names in OpenCode where you already use theirs. Everything that prints a command follows.

/** Only those with another name: `{ approve: "magnus-approve" }`. */
export type CommandNames = Readonly<Record<string, string>>;

/** A text of ours that names commands, with their names in OpenCode. Not for texts of models or users: a path may look like a command. */
export function withCommands(text: string, names: CommandNames): string {
  return text.replace(/(?<=^|[\s`("])\/([a-z][a-z-]*)(?![\w/-])/gm, (all, name: string) =>
    Object.hasOwn(names, name) ? `/${names[name]}` : all,
  );
}

// The same entries for all: files for ours, which reads them as any project's, and a list for the others.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const verbs = ["fix", "review", "write", "plan", "check", "ship", "explain", "test", "draft", "merge"];

export function entriesOf(count) {
  return Array.from({ length: count }, (_, n) => {
    const name = `${verbs[n % verbs.length]}-${Math.floor(n / verbs.length)}`;
    return { name, kind: "command", aliases: [], description: `About ${name}`, hint: "<path> [--dry-run]" };
  });
}

export function writeEntries(folder, count) {
  const commands = join(folder, ".claude/commands");
  mkdirSync(commands, { recursive: true });
  mkdirSync(join(folder, "home"), { recursive: true });
  for (const { name, description, hint } of entriesOf(count)) {
    writeFileSync(
      join(commands, `${name}.md`),
      `---\ndescription: ${description}\nargument-hint: ${hint}\n---\n${name}\n`,
    );
  }
}

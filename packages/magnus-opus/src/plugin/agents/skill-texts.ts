// The skills of an agent stand in its prompt: it has them from the first word on, and nobody else pays for them.
import { listFiles } from "@atomic/workflows/discover";
import { parseFrontmatter } from "@atomic/workflows/frontmatter/parse";
import { recoverLikeOpenCode } from "@atomic/workflows/frontmatter/recover";
import { splitFrontmatter } from "@atomic/workflows/frontmatter/split";
import { readTextFile } from "@atomic/workflows/read-file";

export interface SkillText {
  readonly name: string;
  readonly text: string;
  readonly path: string;
}

/** Skills by name. Of one name the first folder's counts: the project's before the user's before the package's. */
export function skillTexts(folders: readonly string[]): ReadonlyMap<string, SkillText> {
  const found = new Map<string, SkillText>();
  for (const folder of folders) {
    for (const { path } of listFiles(folder, { pattern: "**/SKILL.md" }).files) {
      const skill = readSkillText(path);
      if (skill !== undefined && !found.has(skill.name)) found.set(skill.name, skill);
    }
  }
  return found;
}

function readSkillText(path: string): SkillText | undefined {
  const file = readTextFile(path);
  if (file.kind === "unreadable") return undefined;
  const { name } = parseFrontmatter(file.text, { recover: recoverLikeOpenCode }).values;
  if (typeof name !== "string") return undefined;
  return { name, text: file.text.slice(splitFrontmatter(file.text).bodyStart).trim(), path };
}

/** The prompt with its skills behind it, each once. */
export function withSkills(prompt: string, skills: readonly SkillText[]): string {
  const blocks = skills.map(({ name, text }) => `<skill name="${name}">\n${text}\n</skill>`);
  return [prompt.trimEnd(), ...blocks].join("\n\n");
}

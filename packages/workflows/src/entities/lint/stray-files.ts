import { realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { listFiles } from "../discover.ts";
import { formats } from "../formats/all.ts";
import type { LintFinding } from "./rule.ts";

interface StrayPlace {
  /** Below the project. */
  readonly path: string;
  readonly pattern: string;
  /** Called with the path below the place. */
  readonly isStray?: (relative: string) => boolean;
  /** Whether a tool reads it in the home folder. */
  readonly isReadAtHome?: boolean;
  /** Default: no tool. */
  readonly unreadBy?: string;
  readonly because: string;
  readonly hint: string;
}

const skillFolders = [".claude/skills", ".opencode/skills", ".opencode/skill", ".github/skills", ".agents/skills"];

/** Where people put files that no tool ever reads, because the place or the name looks plausible. */
const strayPlaces: readonly StrayPlace[] = [
  ...skillFolders.flatMap((path): StrayPlace[] => [
    {
      path,
      pattern: "*.md",
      // Capitals are for what is about the skills: README.md, LICENSE.md, THIRD_PARTY_NOTICES.md.
      isStray: (relative) => !/^readme\.md$/i.test(relative) && !/^[A-Z0-9_-]+\.md$/.test(relative),
      because: "A skill is a folder that contains a SKILL.md, not a single file.",
      hint: "Move it to <name>/SKILL.md.",
    },
    {
      path,
      pattern: "*/*.md",
      isStray: (relative) => /\/skill\.md$/i.test(relative) && !relative.endsWith("/SKILL.md"),
      because: "A skill's file must be named SKILL.md, with SKILL in capital letters.",
      hint: "Rename it.",
    },
  ]),
  ...formats.flatMap(({ places }) =>
    places.flatMap((place): StrayPlace[] => {
      if (place.kind !== "folder" || place.location !== "project" || !place.pattern.endsWith(".md")) return [];
      return [
        {
          path: place.path,
          pattern: place.type === "skill" ? "*/SKILL.MD" : "**/*.MD",
          isStray: (relative) => !/(?:^|\/)(?:readme|license|changelog|contributing)\.md$/i.test(relative),
          ...(place.path === ".claude/commands" && { unreadBy: "Claude Code does not read this file." }),
          because: "Its name must end with .md, in lowercase letters.",
          hint: "Rename it.",
        },
      ];
    }),
  ),
  ...["agent", "command", "skill"].map((name) => ({
    path: `.claude/${name}`,
    pattern: "**/*.md",
    because: `Claude Code looks in .claude/${name}s.`,
    hint: `Rename the folder to ${name}s.`,
  })),
  ...["agent", "skill"].map((name) => ({
    path: `.github/${name}`,
    pattern: "**/*.md",
    because: `Copilot looks in .github/${name}s.`,
    hint: `Rename the folder to ${name}s.`,
  })),
  {
    path: ".github/prompts",
    pattern: "**/*.prompt.md",
    because: "Prompt files are a VS Code feature; Copilot does not read them elsewhere.",
    hint: "Turn it into a skill in .github/skills to use it everywhere.",
  },
  {
    path: ".github/commands",
    pattern: "**/*.md",
    because: "Copilot has no commands folder.",
    hint: "Turn it into a skill in .github/skills.",
  },
  ...["agents", "commands", "prompts"].map((name) => ({
    path: `.agents/${name}`,
    pattern: "**/*.md",
    because: "Tools read nothing but skills from .agents.",
    hint: "Move it to the folder of the tool it is meant for.",
  })),
  {
    path: ".copilot",
    pattern: "**/*.md",
    isReadAtHome: true,
    because: "Copilot reads this folder only in your home folder.",
    hint: "Move it to .github.",
  },
];

/** Finds files that no tool reads. The project may be the home folder itself. */
export function findStrayFiles(project: string, home: string | undefined): LintFinding[] {
  const isHome = home !== undefined && realPath(project) === realPath(home);
  return strayPlaces.flatMap(
    ({ path, pattern, isStray, isReadAtHome = false, unreadBy = "No tool reads this file.", because, hint }) => {
      if (isHome && isReadAtHome) return [];
      const { files } = listFiles(join(project, path), { pattern });
      return files
        .filter(({ relative }) => isStray?.(relative) ?? true)
        .map((file): LintFinding => {
          const message = `${unreadBy} ${because}`;
          return { severity: "warning", code: "file-unread", message, path: file.path, hint };
        });
    },
  );
}

/** A folder may have several paths, but one that does not exist has only this one. */
function realPath(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? resolve(path) : realpathSync(path);
}

import { firstLine } from "../formats/first-line.ts";
import { type ClaudeFrontmatter, readClaudeFrontmatter } from "./claude-frontmatter.ts";
import { isNameForClaude, shownByClaude } from "./claude-text.ts";
import { stringOf } from "./string-of.ts";
import { refused, type Tool, type ToolFile, type ToolItem, type ToolReading } from "./tool.ts";
import type { Values } from "./yaml-block.ts";

/** Claude Code 2.1. Skills and commands share the slash list, where a skill goes by its folder's name. */
export const claude: Tool = {
  name: "claude",
  title: "Claude Code",

  read(file) {
    const matter = readClaudeFrontmatter(file.text ?? "");
    switch (file.place.as) {
      case "agent":
        return readAgent(matter.values);
      case "command":
        return readCommand(file, matter);
      case "skill":
        return readSkill(file, matter);
    }
  },

  // Between two files of one folder it takes the one that the disk lists last.
  isLeftToChance: (a, b) => a.rank === b.rank,
};

function readAgent(values: Values): ToolReading {
  const { name, description, hooks } = values;
  if (typeof name !== "string" || name === "") return refused("An agent needs a `name` that is text.");
  if (name.includes(":")) return refused("The `name` of an agent must not have a colon.");
  if (typeof description !== "string" || description === "") {
    return refused("An agent needs a `description` that is text.");
  }
  if (hooks !== undefined && (typeof hooks !== "object" || hooks === null)) return refused("The `hooks` are no map.");
  return { kind: "loaded", item: { key: name, name, description: description.replaceAll("\\n", "\n") } };
}

function readCommand(file: ToolFile, matter: ClaudeFrontmatter): ToolReading {
  const parts = file.relative.split("/");
  const stem = (parts.pop() ?? "").slice(0, -".md".length);
  const isPack = stem.toLowerCase() === "skill";
  const folder = parts.map((part) => `${part}/`).join("");
  if (!isPack && file.hasNeighbour(`${folder}SKILL.md`)) {
    return refused("A SKILL.md in the same folder takes the place of the other commands there.");
  }
  // `pack/SKILL.md` is `/pack`; right in the folder of commands, it is named after that.
  const name = isPack ? parts.join(":") || "commands" : [...parts, stem].join(":");
  return { kind: "loaded", item: { key: name, name, ...shown(matter, "Custom command") } };
}

function readSkill(file: ToolFile, matter: ClaudeFrontmatter): ToolReading {
  const [folder = "", ...rest] = file.relative.split("/");
  if (rest.length !== 1) return refused("Skills must lie right below the folder of skills, each in one of its own.");
  const given = textOf(matter.values.name) ?? "";
  const name = isNameForClaude(given) ? given : folder;
  const aliases = name === folder ? [] : [folder];
  const item: ToolItem = { key: folder, name, aliases, ...shown(matter, "Skill") };
  if (matter.values.paths === undefined) return { kind: "loaded", item };
  const remark = "Listed only after a file that fits `paths` was used.";
  return { kind: "loaded", item: { ...item, userInvocable: false, remark } };
}

function shown({ values, body }: ClaudeFrontmatter, nothing: string): Omit<ToolItem, "key" | "name"> {
  const description = shownByClaude(textOf(values.description)?.trim() || describingLine(body) || nothing);
  const hint = values["argument-hint"];
  // What JavaScript makes of a list is what the hint looks like: `[a, b]` is shown as `a,b`.
  const argumentHint = hint === undefined || hint === null ? "" : shownByClaude(stringOf(hint));
  const userInvocable = values["user-invocable"] === undefined || isTrue(values["user-invocable"]);
  return {
    description,
    ...(argumentHint !== "" && { argumentHint }),
    userInvocable,
    ...(!userInvocable && { remark: "Not in the slash list: only the model can call it." }),
  };
}

function textOf(value: unknown): string | undefined {
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
}

function isTrue(value: unknown): boolean {
  return ["true", "1", "yes", "on"].includes(stringOf(value).trim().toLowerCase());
}

/** Only a newline ends a line there. */
function describingLine(body: string): string {
  return firstLine(body.replace(/[\r\u2028\u2029](?!\n)/g, "\t"));
}

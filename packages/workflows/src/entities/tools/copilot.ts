import { type CopilotFrontmatter, readCopilotFrontmatter } from "./copilot-frontmatter.ts";
import { type KeyRules, problemIn, rules } from "./copilot-schema.ts";
import { stringOf } from "./string-of.ts";
import { refused, type Tool, type ToolFile, type ToolItem, type ToolReading } from "./tool.ts";

/** GitHub Copilot, runtime 1.0. Claude's commands are skills to it; an agent is identified by its path. */
export const copilot: Tool = {
  name: "copilot",
  title: "GitHub Copilot",

  read(file) {
    if (file.relative.split("/").some((part) => part.startsWith("."))) return refused("It is hidden.");
    const isCommand = file.place.path.endsWith("/commands");
    const matter = readCopilotFrontmatter(file.text ?? "", { needed: !isCommand });
    if (matter.kind === "refused") return refused(matter.because);
    if (file.place.as === "agent") return readAgent(file, matter);
    return isCommand ? readCommand(file, matter) : readSkill(file, matter);
  },

  // Folders are read in order, and the first file of a name stays.
  isLeftToChance: () => false,
};

function readAgent({ relative }: ToolFile, { values }: CopilotFrontmatter): ToolReading {
  const problem = problemIn(values, rules.agent);
  if (problem !== undefined) return refused(problem);
  if (values.description === undefined) return refused("An agent needs a `description`.");
  const key = relative.replace(/(?:\.agent)?\.md$/, "").replaceAll("/", "--");
  const name = typeof values.name === "string" && values.name !== "" ? values.name : key;
  const userInvocable = values["user-invocable"] !== false;
  return { kind: "loaded", item: { key, name, description: stringOf(values.description), userInvocable } };
}

function readCommand(file: ToolFile, matter: CopilotFrontmatter): ToolReading {
  if (file.relative.includes("/")) return refused("Commands in subfolders are not read.");
  return readSkillLike(matter, file.relative.slice(0, -".md".length), rules.command);
}

function readSkill(file: ToolFile, matter: CopilotFrontmatter): ToolReading {
  const folders = file.relative.split("/").slice(0, -1);
  const isInside = folders.some((_, depth) => file.hasNeighbour([...folders.slice(0, depth), "SKILL.md"].join("/")));
  if (isInside) return refused("It lies inside another skill, where no skills are looked for.");
  return readSkillLike(matter, folders.at(-1) ?? "skills", rules.skill);
}

const USABLE_NAME = /^[A-Za-z0-9][\w. -]*$/;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1024;
const DESCRIBING_LINES = 3;

function readSkillLike({ values, body }: CopilotFrontmatter, file: string, keys: KeyRules): ToolReading {
  const problem = problemIn(values, keys);
  if (problem !== undefined) return refused(problem);
  const given = stringOf(values.name ?? file).trim();
  if (!USABLE_NAME.test(given)) return refused("The name may have ASCII letters, digits and `-_. ` only.");
  if (given.length > LONGEST_NAME) return refused(`The name is longer than ${LONGEST_NAME} characters.`);
  const name = given.replace(/\s+/g, "-");
  const description = values.description === undefined ? firstLines(body) : stringOf(values.description);
  if ([...description].length > LONGEST_DESCRIPTION) {
    return refused(`The description is longer than ${LONGEST_DESCRIPTION} characters.`);
  }
  const hint = values["argument-hint"];
  const item: ToolItem = {
    key: name,
    name,
    description,
    ...(typeof hint === "string" && { argumentHint: hint }),
    // In a command the key does not count.
    userInvocable: keys === rules.command || values["user-invocable"] !== false,
  };
  return { kind: "loaded", item };
}

/** Without a description: the first lines that are no headings, as one. */
function firstLines(body: string): string {
  const lines = body.split("\n").map((line) => line.trim());
  const text = lines.filter((line) => line !== "" && !line.startsWith("#")).slice(0, DESCRIBING_LINES);
  return [...text.join(" ")].slice(0, LONGEST_DESCRIPTION).join("");
}

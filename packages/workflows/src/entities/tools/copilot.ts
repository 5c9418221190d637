import { isPlainObject } from "../../permission/rules.ts";
import { CONTROL_CHARACTERS, NO_VALUES, readYamlBlock, stringOf, type YamlValues } from "../frontmatter/yaml-block.ts";
import { refused, type ToolItem, type ToolReader, type ToolReading } from "./tool.ts";

/** GitHub Copilot, runtime 1.0. Claude's commands are skills to it; an agent is identified by its path. */
export const copilot: ToolReader = {
  name: "copilot",
  title: "GitHub Copilot",

  read(file) {
    if (file.relative.split("/").some((part) => part.startsWith(".")))
      return refused("It is hidden: its path contains a name that starts with a dot.");
    const isCommand = file.place.path.endsWith("/commands");
    const matter = readCopilotFrontmatter(file.text ?? "", { needed: !isCommand });
    if (matter.kind === "refused") return refused(matter.because);
    if (file.place.as === "agent") {
      const { values } = matter;
      const problem = problemIn(values, rules.agent);
      if (problem !== undefined) return refused(problem);
      if (values.description === undefined) return refused("An agent needs a `description`.");
      const key = file.relative.replace(/(?:\.agent)?\.md$/, "").replaceAll("/", "--");
      const name = typeof values.name === "string" && values.name !== "" ? values.name : key;
      if (key === RESERVED_NAME || name === RESERVED_NAME)
        return refused(`Copilot has an agent of its own called \`${RESERVED_NAME}\`.`);
      const userInvocable = values["user-invocable"] !== false;
      const item: ToolItem = { key, name, description: stringOf(values.description), userInvocable };
      const files = file.countFiles();
      if (files <= MOST_AGENTS) return { kind: "loaded", item };
      const remark = `if it is one of the ${MOST_AGENTS} that Copilot happens to load of the ${files} agent files in this folder`;
      return { kind: "loaded", item: { ...item, remark, mayBeLeftOut: true } };
    }
    if (isCommand) {
      if (file.relative.includes("/")) return refused("Commands in subfolders are not read.");
      const stem = file.relative.slice(0, -".md".length);
      return unusableName("file name", stem) ?? readSkillLike(matter, stem, rules.command);
    }
    const folders = file.relative.split("/").slice(0, -1);
    const isInside = folders.some((_, depth) => file.hasNeighbour([...folders.slice(0, depth), "SKILL.md"].join("/")));
    if (isInside) return refused("It is inside another skill, where Copilot does not look for skills.");
    return readSkillLike(matter, folders.at(-1) ?? "skills", rules.skill);
  },

  // Copilot reads folders in order and keeps the first file with a name. It does not tell which agents it leaves out.
  isLeftToChance: () => false,
};

/** Of one folder and all folders in it. */
export const MOST_AGENTS = 100;
const RESERVED_NAME = "general-purpose";
const USABLE_NAME = /^[A-Za-z0-9][\w. -]*$/;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1024;
const DESCRIBING_LINES = 3;

function readSkillLike({ values, body }: CopilotFrontmatter, file: string, keys: KeyRules): ToolReading {
  const problem = problemIn(values, keys);
  if (problem !== undefined) return refused(problem);
  const given = stringOf(values.name ?? file).trim();
  const unusable = unusableName("name", given);
  if (unusable !== undefined) return unusable;
  const name = given.replace(/\s+/g, "-");
  let description = stringOf(values.description);
  if (values.description === undefined) {
    // The first lines that are not headings are used instead, joined into one.
    const lines = body.split("\n").map((line) => line.trim());
    const text = lines.filter((line) => line !== "" && !line.startsWith("#")).slice(0, DESCRIBING_LINES);
    description = [...text.join(" ")].slice(0, LONGEST_DESCRIPTION).join("");
  }
  if ([...description].length > LONGEST_DESCRIPTION) {
    return refused(`The description is longer than ${LONGEST_DESCRIPTION} characters.`);
  }
  const hint = values["argument-hint"];
  const item: ToolItem = {
    key: name,
    name,
    description,
    ...(typeof hint === "string" && { argumentHint: hint }),
    // Commands ignore the key.
    userInvocable: keys === rules.command || values["user-invocable"] !== false,
  };
  return { kind: "loaded", item };
}

function unusableName(what: string, name: string): ToolReading | undefined {
  if (!USABLE_NAME.test(name))
    return refused(`The ${what} may contain only ASCII letters, digits, spaces, \`-\`, \`_\` and \`.\`.`);
  return name.length > LONGEST_NAME ? refused(`The ${what} is longer than ${LONGEST_NAME} characters.`) : undefined;
}

export interface CopilotFrontmatter {
  readonly kind: "values";
  readonly values: YamlValues;
  readonly body: string;
}

// Any Unicode white space may follow the dashes; JavaScript's `\s` differs by two characters.
const OPENING = /^\ufeff?---[\t\v\f\x85\p{Z}]*\r?\n/u;
const CLOSING = /(?<=\n)---[\t\v\f\x85\p{Z}]*\r?(?:\n|$)/gu;

/** Reads it strictly, like the Copilot runtime 1.0. */
export function readCopilotFrontmatter(
  text: string,
  { needed }: { readonly needed: boolean },
): CopilotFrontmatter | { readonly kind: "refused"; readonly because: string } {
  const start = OPENING.exec(text)?.[0].length;
  CLOSING.lastIndex = start ?? 0;
  const closing = start === undefined ? null : CLOSING.exec(text);
  if (start === undefined || closing === null) {
    const because = "The frontmatter is missing, or its start or end is malformed.";
    if (needed || /^\s*---/.test(text)) return { kind: "refused", because };
    return { kind: "values", values: NO_VALUES, body: text };
  }
  const body = text.slice(CLOSING.lastIndex);
  const block = readYamlBlock(text.slice(start, closing.index), { forbidden: CONTROL_CHARACTERS });
  if (block.kind === "invalid" || block.kind === "duplicates") return { kind: "refused", because: block.because };
  const values = block.kind === "map" ? block.values : NO_VALUES;
  // The newline before the closing fence is not part of the YAML, so a text block at the end has none.
  const [last, value] = Object.entries(values).at(-1) ?? [];
  if (last === undefined || typeof value !== "string") return { kind: "values", values, body };
  return { kind: "values", values: { ...values, [last]: value.replace(/\n$/, "") }, body };
}

type KeyRules = readonly { readonly key: string; accepts(value: unknown): boolean; readonly wants: string }[];

const text = { accepts: (value: unknown) => typeof value === "string", wants: "text" };
const texts = {
  accepts: (value: unknown) => text.accepts(value) || (Array.isArray(value) && value.every(text.accepts)),
  wants: "a string or a list of strings",
};
const flag = { accepts: (value: unknown) => typeof value === "boolean", wants: "true or false" };

const command: KeyRules = [
  { key: "name", accepts: (value) => typeof value === "string" && value.trim() !== "", wants: "text" },
  { key: "description", ...text },
  { key: "argument-hint", accepts: (value) => value === null || typeof value === "string", wants: "text" },
  { key: "disable-model-invocation", ...flag },
  { key: "allowed-tools", ...texts },
];

/** Copilot drops a file if the value of one of these keys has the wrong type. */
const rules: Readonly<Record<"agent" | "command" | "skill", KeyRules>> = {
  command,
  skill: [...command, { key: "user-invocable", ...flag }],
  agent: [
    { key: "name", ...text },
    { key: "description", ...text },
    { key: "tools", ...texts },
    { key: "model", ...texts },
    { key: "skills", ...texts },
    { key: "user-invocable", ...flag },
    { key: "disable-model-invocation", ...flag },
    { key: "infer", ...flag },
    {
      key: "mcp-servers",
      accepts: (value) => value === null || (isPlainObject(value) && Object.values(value).every(isServer)),
      wants:
        "a map of servers, each with `command`, `args` and `tools`, or with `type: http` or `sse`, `url` and `tools`",
    },
  ],
};

function isServer(server: unknown): boolean {
  if (!isPlainObject(server)) return false;
  const { type, command, args, url, tools, env = {}, headers = {}, cwd = "", timeout = 0 } = server;
  const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(text.accepts);
  const isTextMap = (value: unknown): boolean => isPlainObject(value) && Object.values(value).every(text.accepts);
  if (!isTexts(tools) || !Number.isInteger(timeout) || Number(timeout) < 0) return false;
  if (type === "http" || type === "sse") return text.accepts(url) && isTextMap(headers);
  if (type !== undefined && type !== "local" && type !== "stdio") return false;
  return url === undefined && text.accepts(command) && isTexts(args) && isTextMap(env) && text.accepts(cwd);
}

function problemIn(values: YamlValues, keys: KeyRules): string | undefined {
  const broken = keys.find(({ key, accepts }) => values[key] !== undefined && !accepts(values[key]));
  return broken && `\`${broken.key}\` must be ${broken.wants}.`;
}

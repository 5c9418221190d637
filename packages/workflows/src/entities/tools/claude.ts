import { firstLine } from "../formats/markdown.ts";
import { quoteValues, recoverLikeClaude } from "../frontmatter/recover.ts";
import { NO_VALUES, readYamlBlock, stringOf, type YamlDialect, type YamlValues } from "../frontmatter/yaml-block.ts";
import { compareToolPlaces } from "./places.ts";
import { refused, type ToolItem, type ToolReader } from "./tool.ts";

/** Claude Code 2.1. Skills and commands share the slash list, where a skill has its folder's name. */
export const claude: ToolReader = {
  name: "claude",
  title: "Claude Code",

  read(file) {
    const matter = readClaudeFrontmatter(file.text ?? "");
    switch (file.place.as) {
      case "agent": {
        const { name, description, hooks } = matter.values;
        if (typeof name !== "string" || name === "") return refused("An agent needs a `name` that is a string.");
        if (name.includes(":")) return refused("An agent's `name` must not contain a colon.");
        if (typeof description !== "string" || description === "") {
          return refused("An agent needs a `description` that is a string.");
        }
        if (hooks !== undefined && (typeof hooks !== "object" || hooks === null))
          return refused("`hooks` is not a map.");
        return { kind: "loaded", item: { key: name, name, description: description.replaceAll("\\n", "\n") } };
      }
      case "command": {
        const parts = file.relative.split("/");
        const stem = (parts.pop() ?? "").slice(0, -".md".length);
        const isPack = stem.toLowerCase() === "skill";
        const folder = parts.map((part) => `${part}/`).join("");
        if (!isPack && file.hasNeighbour(`${folder}SKILL.md`)) {
          return refused("A SKILL.md in the same folder replaces the other commands there.");
        }
        // `pack/SKILL.md` is `/pack`; directly in the commands folder, it is `/commands`.
        const name = isPack ? parts.join(":") || "commands" : [...parts, stem].join(":");
        return { kind: "loaded", item: { key: name, name, ...shown(matter, "Custom command") } };
      }
      case "skill": {
        const [folder = "", ...rest] = file.relative.split("/");
        if (rest.length !== 1)
          return refused("Each skill must be in its own folder, directly below the skills folder.");
        const given = textOf(matter.values.name) ?? "";
        const name = isNameForClaude(given) ? given : folder;
        const aliases = name === folder ? [] : [folder];
        const item: ToolItem = { key: folder, name, aliases, ...shown(matter, "Skill") };
        if (matter.values.paths === undefined) return { kind: "loaded", item };
        const remark = "Listed only after a file that matches `paths` has been used.";
        return { kind: "loaded", item: { ...item, userInvocable: false, remark } };
      }
    }
  },

  // Between two files in one folder, it takes the one that the disk lists last.
  isLeftToChance: (a, b) => compareToolPlaces(a, b) === 0,
};

function shown({ values, body }: ClaudeFrontmatter, nothing: string): Omit<ToolItem, "key" | "name"> {
  // In Claude Code only a newline ends a line.
  const description = shownByClaude(
    textOf(values.description)?.trim() || firstLine(body.replace(/[\r\u2028\u2029](?!\n)/g, "\t")) || nothing,
  );
  const hint = values["argument-hint"];
  // Claude Code shows a list as JavaScript converts it: `[a, b]` becomes `a,b`.
  const argumentHint = hint === undefined || hint === null ? "" : shownByClaude(stringOf(hint));
  const userInvocable =
    values["user-invocable"] === undefined ||
    ["true", "1", "yes", "on"].includes(stringOf(values["user-invocable"]).trim().toLowerCase());
  return {
    description,
    ...(argumentHint !== "" && { argumentHint }),
    userInvocable,
    ...(!userInvocable && { remark: "Not in the list of slash commands: only the model can call it." }),
  };
}

function textOf(value: unknown): string | undefined {
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
}

export interface ClaudeFrontmatter {
  readonly values: YamlValues;
  readonly body: string;
}

const dialect: YamlDialect = { forbidden: /\0/ };

/** Reads it like Claude Code 2.1, which never refuses a file: what it cannot read counts as absent. */
export function readClaudeFrontmatter(text: string): ClaudeFrontmatter {
  const clean = text.replace(/^\ufeff/, "");
  const [opening] = /^---\s*/.exec(clean) ?? [];
  const start = (opening?.lastIndexOf("\n") ?? -1) + 1;
  // Any three dashes end the block, even inside a value.
  const end = start === 0 ? -1 : clean.indexOf("---", start);
  if (end === -1) return { values: NO_VALUES, body: clean };
  return { values: readValues(clean.slice(start, end)), body: clean.slice(end + 3) };
}

function readValues(yaml: string, mayQuote = true): YamlValues {
  const block = readYamlBlock(yaml, dialect);
  switch (block.kind) {
    case "map":
      return block.values;
    case "duplicates": {
      // Remove the top-level keys that appear again further down.
      const kept: string[] = [];
      const seen = new Set<string>();
      let pending: string[] = [];
      for (const line of yaml.split("\n").reverse()) {
        pending.push(line);
        const key = TOP_LEVEL_KEY.exec(line)?.[1];
        if (key === undefined) continue;
        if (!seen.has(key)) kept.push(...pending);
        seen.add(key);
        pending = [];
      }
      const last = readYamlBlock([...kept, ...pending].reverse().join("\n"), dialect);
      return last.kind === "map" || last.kind === "duplicates" ? last.values : NO_VALUES;
    }
    case "not-a-map":
      return NO_VALUES;
    case "invalid": {
      const quoted = mayQuote ? quoteValues(yaml, recoverLikeClaude) : undefined;
      return quoted === undefined ? NO_VALUES : readValues(quoted.yaml, false);
    }
  }
}

const TOP_LEVEL_KEY = /^([^\s#:][^:]*):(?:\s|$)/;

/** Text as Claude Code 2.1 shows it: an invisible character is a space, unless an emoji or a script needs it. */
export function shownByClaude(text: string): string {
  if (!/[^ -~]/.test(text)) return text;
  // Compiled when first needed: that takes longer than reading a hundred files.
  keptOrUnseen ??= new RegExp(`(${KEPT})|${UNSEEN}`, "gv");
  return text.replace(keptOrUnseen, (_, kept: string | undefined) => kept ?? " ");
}

let keptOrUnseen: RegExp | undefined;

const LONGEST_NAME = 256;

/** Claude Code shows the folder's name instead of any other name. */
export function isNameForClaude(name: string): boolean {
  if (name === "" || name.length > LONGEST_NAME || /[<>]/.test(name)) return false;
  return shownByClaude(name) === name && name.trim().split(/\s+/).join(" ") === name;
}

/** Arabic letters that join the next one, so a non-joiner after them is visible. */
const JOINING = [
  String.raw`\u0620\u0626\u0628\u062a-\u062e\u0633-\u063f\u0641-\u0647\u0649\u064a\u066e\u066f\u0678-\u0687`,
  String.raw`\u069a-\u06bf\u06c1\u06c2\u06cc\u06ce\u06d0\u06d1\u06fa-\u06fc\u06ff\u0750-\u0758\u075c-\u076a`,
  String.raw`\u076d-\u0770\u0772\u0775-\u0777\u077a-\u077f\u0886\u0889-\u088d\u08a0-\u08a9\u08af\u08b0`,
  String.raw`\u08b3-\u08b8\u08ba-\u08c8`,
].join("");
/** Arabic letters that do not join the one before them. */
const NEVER_JOINED = String.raw`\u0621\u0674\u0883-\u0885\u0887\u08ad`;
const JOINED = String.raw`[[\u0600-\u08ff]&&\p{Script=Arabic}&&\p{Lo}]--[${NEVER_JOINED}]`;
// Looking behind only after a joiner was found keeps this linear.
const ARABIC_NON_JOINER = String.raw`\u200c(?<=[${JOINING}]\p{Mn}*\u200c)(?=[${JOINED}])`;

interface IndicScript {
  readonly joiners: string;
  readonly consonants: string;
  readonly nukta?: string;
  readonly virama: string;
}

/**
 * From Devanagari to Malayalam, Unicode has corresponding letters at the same offset in each script. Claude Code leaves
 * out Gurmukhi and Tamil.
 */
const indicScripts: readonly IndicScript[] = [
  ...[0x900, 0x980, 0xa80, 0xb00, 0xc00, 0xc80, 0xd00].map((first) => ({
    joiners: String.raw`\u200c\u200d`,
    consonants: `${escaped(first + 0x15)}-${escaped(first + 0x39)}`,
    nukta: escaped(first + 0x3c),
    virama: escaped(first + 0x4d),
  })),
  { joiners: String.raw`\u200d`, consonants: String.raw`\u0d9a-\u0dc6`, virama: String.raw`\u0dca` },
];

const indicJoiners = indicScripts.map(({ joiners, consonants, nukta, virama }) => {
  const base = nukta === undefined ? `[${consonants}]` : `[${consonants}]${nukta}?`;
  return `[${joiners}](?<=${base}${virama}[${joiners}])(?=[${consonants}])`;
});

// The flag `v` is newer than the compiler's target, so this cannot be a literal.
const KEPT = [String.raw`(?=\p{Emoji})\p{RGI_Emoji}`, ARABIC_NON_JOINER, ...indicJoiners].join("|");
const UNSEEN = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+`;

function escaped(codePoint: number): string {
  return `\\u${codePoint.toString(16).padStart(4, "0")}`;
}

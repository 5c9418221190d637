import { type OpencodeFrontmatter, readOpencodeFrontmatter, unacceptedKey } from "./opencode-frontmatter.ts";
import { fatal, refused, type ToolFile, type ToolItem, type ToolReader, type ToolReading } from "./tool.ts";
import { stringOf, type YamlValues } from "./yaml-block.ts";

/** OpenCode 1.18. Agents and commands of one name are merged field by field; between skills a race decides. */
export const opencode: ToolReader = {
  name: "opencode",
  title: "OpenCode",

  read(file) {
    const { as } = file.place;
    const matter: OpencodeFrontmatter =
      file.text === undefined
        ? { kind: "values", values: file.entity.frontmatter }
        : readOpencodeFrontmatter(file.text);
    if (matter.kind === "refused") return refused(matter.because);
    const values = matter.kind === "values" ? matter.values : {};
    const reading = as === "skill" ? readSkill(file, values) : readEntry(file, as, values);
    if (matter.kind !== "lost" || reading.kind !== "loaded") return reading;
    const remark = `OpenCode loads it without its frontmatter, restrictions included: ${matter.because}`;
    return { kind: "loaded", item: { ...reading.item, remark } };
  },

  isLeftToChance: (a, b) => a.as === "skill" || a.rank === b.rank,

  combine(namesakes) {
    const [winner] = namesakes;
    if (winner.values === undefined) return { kind: "loaded", item: winner };
    const values = Object.assign({}, ...namesakes.map((item) => item.values).reverse()) as YamlValues;
    if (values.disable === true) return refused("`disable: true` switches it off.");
    const description = typeof values.description === "string" ? values.description : "";
    const name = typeof values.name === "string" ? values.name : winner.name;
    return { kind: "loaded", item: { ...winner, name, description } };
  },
};

function readSkill({ place, relative }: ToolFile, { name, description }: YamlValues): ToolReading {
  // Only the folders of other tools are searched with their hidden ones.
  const isOwn = place.path.includes("opencode");
  if (isOwn && relative.split("/").some((part) => part.startsWith("."))) return refused("It is in a hidden folder.");
  if (typeof name !== "string") return refused("A skill needs a `name` that is text.");
  if (description !== undefined && typeof description !== "string") return refused("The `description` is not text.");
  return { kind: "loaded", item: { key: name, name, description: description ?? "" } };
}

function readEntry(file: ToolFile, as: "agent" | "command", values: YamlValues): ToolReading {
  const isMode = /\/modes?$/.test(file.place.path);
  const unaccepted = unacceptedKey(as, values);
  if (unaccepted !== undefined) {
    const because = `OpenCode does not accept this value of \`${unaccepted}\`.`;
    return isMode ? refused(because) : fatal(`${because} It does not start with this file.`);
  }
  // A `name` beats the path; one that is not text is converted to text.
  const key =
    file.text === undefined
      ? file.entity.displayName
      : values.name === undefined
        ? file.relative.slice(0, -".md".length)
        : stringOf(values.name);
  if (as === "agent" && !["undefined", "string"].includes(typeof values.name) && values.name !== null) {
    return fatal("A `name` that is not text keeps OpenCode from listing its agents.");
  }
  const { description, disable, name } = values;
  const item: ToolItem = {
    key,
    name: key,
    description: typeof description === "string" ? description : "",
    values: {
      ...(description !== undefined && { description }),
      ...(disable !== undefined && { disable }),
      ...(as === "agent" && typeof name === "string" && { name }),
    },
  };
  return { kind: "loaded", item };
}

import { stringOf, type YamlValues } from "../frontmatter/yaml-block.ts";
import { type OpencodeFrontmatter, readOpencodeFrontmatter, unacceptedKeys } from "./opencode-frontmatter.ts";
import { compareToolPlaces } from "./places.ts";
import { refused, type ToolItem, type ToolReader } from "./tool.ts";

/** OpenCode 1.18. It merges agents and commands with the same name field by field; between skills a race decides. */
export const opencode: ToolReader = {
  name: "opencode",
  title: "OpenCode",

  read(file) {
    const { entity, relative, text } = file;
    const { as, path } = file.place;
    const matter: OpencodeFrontmatter =
      text === undefined ? { kind: "values", values: entity.frontmatter } : readOpencodeFrontmatter(text);
    if (matter.kind === "refused") return refused(matter.because);
    const values: YamlValues = matter.kind === "values" ? matter.values : {};
    const { name, description, disable } = values;
    let item: ToolItem;
    if (as === "skill") {
      // OpenCode also searches hidden folders, but only in other tools' folders.
      const isHidden = path.includes("opencode") && relative.split("/").some((part) => part.startsWith("."));
      if (isHidden) return refused("It is in a hidden folder.");
      if (typeof name !== "string") return refused("A skill needs a `name` that is a string.");
      if (description !== undefined && typeof description !== "string")
        return refused("The `description` is not a string.");
      item = { key: name, name, description: description ?? "" };
    } else {
      const unaccepted = unacceptedKeys(as, values);
      if (unaccepted.length > 0) {
        const keys = unaccepted.map((key) => `\`${key}\``).join(" and ");
        const because = `OpenCode does not accept ${unaccepted.length === 1 ? "this value" : "these values"} for ${keys}.`;
        if (/\/modes?$/.test(path)) return refused(because);
        return { kind: "fatal", because: `${because} OpenCode cannot start until you fix it.` };
      }
      if (as === "agent" && !["undefined", "string"].includes(typeof name) && name !== null) {
        return { kind: "fatal", because: "A `name` that is not a string keeps OpenCode from listing its agents." };
      }
      // A `name` beats the path; one that is not text is converted to text.
      let key = name === undefined ? relative.slice(0, -".md".length) : stringOf(name);
      if (text === undefined) key = entity.displayName;
      item = {
        key,
        name: key,
        description: typeof description === "string" ? description : "",
        values: {
          ...(description !== undefined && { description }),
          ...(disable !== undefined && { disable }),
          ...(as === "agent" && typeof name === "string" && { name }),
        },
      };
    }
    if (matter.kind !== "lost") return { kind: "loaded", item };
    const remark = `OpenCode loads it without its frontmatter, so its restrictions are lost: ${matter.because}`;
    return { kind: "loaded", item: { ...item, remark } };
  },

  isLeftToChance: (a, b) => a.place.as === "skill" || compareToolPlaces(a, b) === 0,

  combine(namesakes) {
    const [winner] = namesakes;
    if (winner.values === undefined) return { kind: "loaded", item: winner };
    const values = Object.assign({}, ...namesakes.map((item) => item.values).reverse()) as YamlValues;
    if (values.disable === true) return refused("`disable: true` turns it off.");
    const description = typeof values.description === "string" ? values.description : "";
    const name = typeof values.name === "string" ? values.name : winner.name;
    return { kind: "loaded", item: { ...winner, name, description } };
  },
};

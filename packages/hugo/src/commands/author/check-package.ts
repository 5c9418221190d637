import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import type { Problem } from "./problem.ts";
import { warning } from "./problem.ts";

const KEYWORD = "opencode-workflow";

/** npm runs them at an install. OpenCode and Hugo never do. */
const LIFECYCLE = ["preinstall", "install", "postinstall", "prepare"];

/** What package.json should say so that others find the package and get all of it. */
export function checkPackageJson(json: JsonPart): Problem[] {
  return [
    ...["name", "version", "description"].flatMap((key) => missing(json, key)),
    ...keyword(json),
    ...scripts(json),
  ];
}

const WHY: Readonly<Record<string, string>> = {
  name: "Nobody can install a package without a name.",
  version: "Nobody can publish a package without a version.",
  description: "`hugo search` and `hugo info` show it.",
};

function missing(json: JsonPart, key: string): Problem[] {
  const part = json.get(key);
  if (part.node?.kind === "string" && part.node.value !== "") return [];
  return [warning(part.at, `package.json has no "${key}"`, `Add it. ${WHY[key]}`)];
}

function keyword(json: JsonPart): Problem[] {
  const part = json.get("keywords");
  const words = part.node?.kind === "array" ? part.items().map((item) => item.value()) : [];
  if (words.includes(KEYWORD)) return [];
  const hint = `Add "${KEYWORD}" to "keywords": \`hugo search\` finds packages by it.`;
  return [warning(part.at, `the keyword "${KEYWORD}" is missing`, hint)];
}

function scripts(json: JsonPart): Problem[] {
  const part = json.get("scripts");
  if (part.node?.kind !== "object") return [];
  return part.entries().flatMap(([name, script]) => {
    // Before it is packed "prepare" does run.
    if (!LIFECYCLE.includes(name) || name === "prepare") return [];
    const message = `the script "${name}" will not run: neither OpenCode nor Hugo runs scripts of packages`;
    return [warning(script.at, message, "Do what it does before packing, or when the plugin starts.")];
  });
}

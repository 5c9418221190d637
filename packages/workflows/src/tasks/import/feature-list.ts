import type { Json } from "../../run/json.ts";
import type { Schema } from "../check-schema.ts";
import type { Task } from "../task.ts";
import { type ForeignList, isPlainObject } from "./foreign-list.ts";

type Feature = {
  readonly id?: string;
  readonly category?: string;
  readonly description: string;
  readonly steps?: readonly string[];
  readonly passes?: boolean;
  readonly [key: string]: Json | undefined;
};

const feature: Schema = {
  type: "object",
  required: ["description"],
  properties: {
    id: { type: "string", pattern: "\\S" },
    category: { type: "string" },
    description: { type: "string", pattern: "\\S" },
    steps: { type: "array", items: { type: "string" } },
    passes: { type: "boolean" },
  },
};

/** `feature-list.json`: `[{ category, description, steps, passes }]`. */
export const featureList: ForeignList = {
  name: "feature-list.json",
  matches: (value) => Array.isArray(value) && value.some((item) => isPlainObject(item) && "description" in item),
  schema: { type: "array", items: feature },
  convert: (value) => {
    const features = value as unknown as readonly Feature[];
    const taken = new Set(features.map(({ id }) => id));
    return { tasks: features.map((each, at) => taskOf(each, each.id ?? freeId(at + 1, taken))), metadata: {} };
  },
};

function taskOf({ id: _id, category, description, steps, passes, ...more }: Feature, id: string): Task {
  const metadata = { ...(steps !== undefined && { steps }), ...(category !== undefined && { category }), ...more };
  return {
    id,
    name: description,
    ...(category !== undefined && { description: `Category: ${category}` }),
    status: passes === true ? "passing" : "pending",
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** Its place in the list, with a dash where another feature has taken that for its id. */
function freeId(place: number, taken: Set<string | undefined>): string {
  let id = String(place);
  while (taken.has(id)) id = `${id}-`;
  taken.add(id);
  return id;
}

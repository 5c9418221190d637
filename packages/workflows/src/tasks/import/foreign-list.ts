import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import { isObject } from "../../graph/graph-shape.ts";
import type { Json } from "../../run/json.ts";
import type { Schema } from "../check-schema.ts";
import type { Task } from "../task.ts";

/** Another program's list of tasks, and how it is imported. */
interface ForeignList {
  readonly name: string;
  /** Whether a value looks like such a list, however broken it may be. */
  matches(value: JsonValue): boolean;
  readonly schema: Schema;
  /** Takes a value that fits the schema. */
  convert(value: JsonValue): Imported;
}

export interface Imported {
  readonly tasks: readonly Task[];
  /** What the list says about itself. */
  readonly metadata: NonNullable<Task["metadata"]>;
}

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
const featureList: ForeignList = {
  name: "feature-list.json",
  matches: (value) => Array.isArray(value) && value.some((item) => isObject(item) && "description" in item),
  schema: { type: "array", items: feature },
  convert: (value) => {
    const features = value as unknown as readonly Feature[];
    const taken = new Set(features.map(({ id }) => id));
    const tasks = features.map(({ id: given, category, description, steps, passes, ...more }, at): Task => {
      // Its position in the list, with a dash if another feature already has that id.
      let id = given ?? String(at + 1);
      while (given === undefined && taken.has(id)) id = `${id}-`;
      taken.add(id);
      const metadata = { ...(steps !== undefined && { steps }), ...(category !== undefined && { category }), ...more };
      return {
        id,
        name: description,
        ...(category !== undefined && { description: `Category: ${category}` }),
        status: passes === true ? "passing" : "pending",
        ...(Object.keys(metadata).length > 0 && { metadata }),
      };
    });
    return { tasks, metadata: {} };
  },
};

type Prd = { readonly userStories: readonly UserStory[]; readonly [key: string]: Json | undefined };

type UserStory = {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly acceptanceCriteria?: readonly string[];
  readonly priority?: number;
  readonly passes?: boolean;
  readonly notes?: string;
  readonly [key: string]: Json | undefined;
};

const story: Schema = {
  type: "object",
  required: ["id", "title"],
  properties: {
    id: { type: "string", pattern: "\\S" },
    title: { type: "string", pattern: "\\S" },
    description: { type: "string" },
    acceptanceCriteria: { type: "array", items: { type: "string" } },
    priority: { type: "number" },
    passes: { type: "boolean" },
    notes: { type: "string" },
  },
};

/** `prd.json` of the Ralph scripts: `{ project, branchName, userStories: [{ id, title, … passes }] }`. */
const prd: ForeignList = {
  name: "prd.json",
  matches: (value) => isObject(value) && "userStories" in value,
  schema: {
    type: "object",
    required: ["userStories"],
    properties: {
      project: { type: "string" },
      branchName: { type: "string" },
      userStories: { type: "array", items: story },
    },
  },
  convert: (value) => {
    const { userStories, ...about } = value as unknown as Prd;
    const tasks = userStories.map((each): Task => {
      const { id, title, description, acceptanceCriteria, priority, passes, notes, ...metadata } = each;
      return {
        id,
        name: title,
        ...(description !== undefined && { description }),
        status: passes === true ? "passing" : "pending",
        ...(priority !== undefined && { priority }),
        ...(acceptanceCriteria !== undefined && { acceptanceCriteria }),
        ...(notes !== undefined && notes !== "" && { notes }),
        ...(Object.keys(metadata).length > 0 && { metadata }),
      };
    });
    return { tasks, metadata: about };
  },
};

/** Every list that can be imported. */
export const foreignLists: readonly ForeignList[] = [featureList, prd];

import type { Json } from "../../run/json.ts";
import type { Schema } from "../check-schema.ts";
import type { Task } from "../task.ts";
import { type ForeignList, isPlainObject } from "./foreign-list.ts";

type Prd = {
  readonly userStories: readonly UserStory[];
  readonly [key: string]: Json | undefined;
};

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
export const prd: ForeignList = {
  name: "prd.json",
  matches: (value) => isPlainObject(value) && "userStories" in value,
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
    return { tasks: userStories.map(taskOf), metadata: about };
  },
};

function taskOf({ id, title, description, acceptanceCriteria, priority, passes, notes, ...metadata }: UserStory): Task {
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
}

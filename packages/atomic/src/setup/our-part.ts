// What `atomic setup` added to a file, so undo can take out exactly that, whatever you changed beside it. Pure.
import { DurableError } from "@atomic/durable-files/errors";
import { type Edit, editJsonc } from "@atomic/durable-files/jsonc/edit";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { type JsonValue, toValue } from "@atomic/durable-files/jsonc/value";
import { projectPaths } from "../project/plan-files.ts";

/** A file that was written: its text before, or null if there was none, and what it became. */
export interface WrittenFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** `yours`: nothing in it can be recognized as ours. */
export type WithoutOurs =
  | { readonly kind: "gone" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "yours" };

/** The file, as it is now, without what was added to it. A value that you changed since is yours. */
export function withoutOurs({ path, before, after }: WrittenFile, now: string): WithoutOurs {
  if (now === after) return before === null ? { kind: "gone" } : { kind: "text", text: before };
  const edits = { [projectPaths.packageJson]: packageEdits, [projectPaths.tsconfig]: tsconfigEdits }[path];
  const versions = [before ?? "{}", after, now].map(objectIn);
  const [was, made, is] = versions;
  if (edits === undefined || was === undefined || made === undefined || is === undefined) return { kind: "yours" };
  const removed = edits(was, made, is);
  if (removed.length === 0) return { kind: "yours" };
  const text = editJsonc(now, removed, { file: path });
  // A package.json of ours begins with this, and needs it only for what was added.
  const isEmpty = before === null && JSON.stringify(objectIn(text)) === '{"private":true}';
  return isEmpty ? { kind: "gone" } : { kind: "text", text };
}

type JsonObject = { readonly [key: string]: JsonValue };
type Edits = (was: JsonObject, made: JsonObject, is: JsonObject) => readonly Edit[];

const packageEdits: Edits = (was, made, is) => {
  const [had, added, has] = [was, made, is].map(({ devDependencies }) => asObject(devDependencies) ?? {});
  if (had === undefined || added === undefined || has === undefined) return [];
  const ours = Object.keys(added).filter((name) => !(name in had) && name in has && has[name] === added[name]);
  const isAll = was.devDependencies === undefined && ours.length === Object.keys(has).length;
  if (isAll && ours.length > 0) return [{ op: "remove", path: ["devDependencies"] }];
  return ours.map((name) => ({ op: "remove", path: ["devDependencies", name] }));
};

const tsconfigEdits: Edits = (was, made, is) => {
  const [had, added, has] = [was, made, is].map(({ include }) => (Array.isArray(include) ? include : []));
  if (had === undefined || added === undefined || has === undefined) return [];
  // Where there was no list, ours begins with everything, as before.
  const isAll = was.include === undefined && JSON.stringify(has) === JSON.stringify(added) && has.length > 0;
  if (isAll) return [{ op: "remove", path: ["include"] }];
  const isOurs = (pattern: JsonValue): boolean => String(pattern).startsWith(".atomic/") && !had.includes(pattern);
  const at = has.findIndex((pattern) => added.includes(pattern) && isOurs(pattern));
  return at === -1 ? [] : [{ op: "remove", path: ["include", at] }];
};

/** Undefined if it does not parse: then nothing in it can be told apart. */
function objectIn(text: string): JsonObject | undefined {
  try {
    const { root } = parseJsonc(text, { file: "" });
    return root === undefined ? undefined : asObject(toValue(root));
  } catch (error) {
    if (error instanceof DurableError && error.code === "syntax") return undefined;
    throw error;
  }
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

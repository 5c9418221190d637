import { ExplainedError } from "@atomic/durable-files/explained-error";
import { type JsonPart, jsonObjectIn } from "@atomic/durable-files/jsonc/part";
import { positionsOf } from "@atomic/durable-files/jsonc/position";
import { foldName, shown } from "@atomic/durable-files/safety/names";
import { readPermission, readPermissionRules } from "../permission/rules.ts";
import {
  LOCK_VERSION,
  type Lock,
  type LockedDelivery,
  type LockedFile,
  type LockedWorkflow,
  type PluginPart,
  type RememberedPlugin,
} from "./lock.ts";
import {
  dependency,
  destination,
  entityNames,
  hash,
  modelName,
  namePrefix,
  packageName,
  plainPath,
  versionOf,
  workflowName,
} from "./lock-parts.ts";
import { readRegisters } from "./registers.ts";
import { sourceForm } from "./source-form.ts";

/**
 * `lock-invalid`: hugo.json does not parse, or has an invalid value. `lock-conflict`: it has the markers of an unfinished
 * merge. `lock-newer`: a newer Hugo wrote it.
 */
export type LockErrorCode = "lock-invalid" | "lock-conflict" | "lock-newer";

export class LockError extends ExplainedError {
  override readonly name = "LockError";
  declare readonly code: LockErrorCode;
  declare readonly at: string;
  declare readonly hint: string;

  /** Refused for safety. */
  override get exitCode(): number {
    return 3;
  }
}

const HINT = "Restore it from version control (git checkout .opencode/hugo.json), then run `hugo ci`.";

/**
 * Reads hugo.json for all of Hugo's commands, completion and the registry. It accepts what `printLock` prints, in any order
 * and with any white space, and nothing else. @throws {LockError} with the place in the file.
 */
export function parseLock(text: string, file: string): Lock {
  // Otherwise the error would be about broken JSON, which does not help.
  const marker = /^(?:<{7}|={7}|>{7}|\|{7})(?=\s|$)/m.exec(text);
  if (marker !== null) {
    const at = `${file}:${text.slice(0, marker.index).split("\n").length}:1`;
    throw new LockError("lock-conflict", {
      message: `${at}: the file has an unfinished merge (${marker[0]})`,
      at,
      hint: "Run `hugo ci` before you commit the merge: it keeps the workflows of both sides. After that, git no longer has the two sides: restore the file from a commit (git checkout <commit> .opencode/hugo.json), then run `hugo ci`.",
    });
  }
  const root = jsonObjectIn(text, { file, hint: HINT, error: (refusal) => new LockError("lock-invalid", refusal) });
  const part = root.get("version");
  const version = part.integer();
  if (version < LOCK_VERSION) throw part.refuse(`is ${version}, which is not a valid version`);
  if (version > LOCK_VERSION) {
    throw new LockError("lock-newer", {
      message: `${part.at}: the file has version ${version}, but this version of Hugo only supports version ${LOCK_VERSION}`,
      at: part.at,
      hint: "Use the version of Hugo that wrote the file, or a newer one.",
    });
  }
  // The next write would remove anything beside the values.
  const extra = [...text.matchAll(EXTRAS)].find(([found]) => !found.startsWith('"'));
  if (extra !== undefined) {
    const { line, column } = positionsOf(text)(extra.index);
    const at = `${file}:${line}:${column}`;
    const message = `${at}: hugo.json must not contain comments or trailing commas`;
    throw new LockError("lock-invalid", { message, at, hint: HINT });
  }
  // Here and below: the next write would lose unknown keys.
  root.refuseKeysBut(["version", "check", "configs", "workflows"]);
  const [configs, workflows] = [root.get("configs").entries(), present(root.get("workflows")).entries()];
  const check = root.get("check");
  return {
    ...(!check.isMissing && { check: hash(check) }),
    configs: new Map(configs.map(([path, made]) => [path, made.oneOf(["file", "array"])])),
    workflows: new Map(workflows.map(([name, each]) => [workflowName(name, each), readWorkflow(each)])),
  };
}

/** Matches strings only to skip them. */
const EXTRAS = /"(?:[^"\\]|\\.)*"|\/[/*]|,(?=\s*[}\]])/g;

function present(part: JsonPart): JsonPart {
  if (part.isMissing) throw part.refuse("is missing");
  return part;
}

/** The entries by path. Refuses two that would meet on a disk that ignores case or Unicode form. */
function distinct(part: JsonPart): [string, JsonPart][] {
  const entries = part.entries();
  const known = new Map<string, string>();
  for (const [path] of entries) {
    const other = known.get(foldName(path));
    if (other !== undefined) {
      throw part.refuse(`lists ${shown(other)} and ${shown(path)}, which many file systems cannot tell apart`);
    }
    known.set(foldName(path), path);
  }
  return entries;
}

const COMMON_KEYS = "package source version integrity tree delivery agents commands skills workflows selection";
const KEYS = {
  plugin: `${COMMON_KEYS} dependencies registers parts disabled`.split(" "),
  copy: `${COMMON_KEYS} parked permission prefix models files`.split(" "),
} as const;

function readWorkflow(part: JsonPart): LockedWorkflow {
  const kind = part.get("delivery").oneOf(["plugin", "copy"]);
  part.refuseKeysBut(KEYS[kind]);
  const integrity = part.get("integrity").optionalString();
  const [tree, workflows, selection] = [part.get("tree"), part.get("workflows"), part.get("selection")];
  const registers = part.get("registers");
  const dependencies = part.get("dependencies");
  const name = packageName(part.get("package"));
  // The source and the version end up in plugin arrays: OpenCode downloads what they name.
  const source = part.get("source").string();
  const form = sourceForm(source);
  if (form === undefined) throw part.get("source").refuse("is not a source in the format that Hugo writes");
  if (form.kind === "registry" && form.name !== name) {
    throw part.get("package").refuse("does not match the package named in its source");
  }
  return {
    package: name,
    source,
    version: versionOf(part.get("version"), source),
    ...(integrity !== undefined && { integrity }),
    ...(!tree.isMissing && { tree: hash(tree) }),
    ...(!dependencies.isMissing && {
      dependencies: new Map(distinct(dependencies).map(([path, each]) => [path, dependency(path, each)])),
    }),
    delivery: readDelivery(kind, part),
    agents: entityNames(present(part.get("agents"))),
    commands: entityNames(present(part.get("commands"))),
    skills: entityNames(present(part.get("skills"))),
    ...(!workflows.isMissing && { workflows: entityNames(workflows) }),
    ...(!registers.isMissing && { registers: readRegisters(registers) }),
    ...(!selection.isMissing && { selection: selection.items().map(plainPath) }),
  };
}

function readDelivery(kind: LockedDelivery["kind"], part: JsonPart): LockedDelivery {
  if (kind === "plugin") {
    const [disabled, parts] = [part.get("disabled"), part.get("parts")];
    const listed = parts.items().map((item) => item.oneOf<PluginPart>(["server", "tui"]));
    if (!parts.isMissing && (!listed.includes("tui") || new Set(listed).size < listed.length)) {
      throw parts.refuse("is not a list of parts that Hugo writes");
    }
    const about = { kind, ...(!parts.isMissing && { parts: listed }) } as const;
    if (disabled.isMissing) return about;
    // Nearly always exactly one, which is written without a list.
    const isList = disabled.node?.kind === "array";
    const items = isList ? disabled.items() : [disabled];
    if (isList && items.length < 2) throw disabled.refuse("is a list with fewer than two entries");
    const remembered = items.map((item): RememberedPlugin => {
      item.refuseKeysBut(["file", "index", "spec", "options"]);
      const options = item.get("options").value();
      return {
        file: item.get("file").string(),
        index: item.get("index").integer(),
        spec: item.get("spec").string(),
        ...(options !== undefined && { options }),
      };
    });
    return { ...about, disabled: remembered };
  }
  const files = distinct(present(part.get("files")));
  const isParked = isMarked(part.get("parked"));
  const permission = part.get("permission");
  const value = permission.value();
  if (!permission.isMissing && (typeof readPermissionRules(value) === "string" || typeof value === "string")) {
    throw permission.refuse("is not a map of permissions");
  }
  const [prefix, models] = [part.get("prefix"), part.get("models")];
  return {
    kind,
    parked: isParked,
    ...(!permission.isMissing && { permission: readPermission(value) }),
    ...(!prefix.isMissing && { prefix: namePrefix(prefix) }),
    ...(!models.isMissing && {
      models: new Map(models.entries().map(([name, model]) => [name, modelName(model)])),
    }),
    files: new Map(files.map(([path, each]) => [destination(path, each), readFile(each)])),
  };
}

function readFile(part: JsonPart): LockedFile {
  part.refuseKeysBut(["source", "base", "pending", "adopted", "deleted", "older", "skipped"]);
  const source = plainPath(part.get("source"));
  const [base, pending] = [part.get("base"), part.get("pending")];
  const [isAdopted, isDeleted] = [isMarked(part.get("adopted")), isMarked(part.get("deleted"))];
  if (!isMarked(part.get("skipped"))) {
    return {
      kind: "installed",
      source,
      base: hash(base),
      ...(!pending.isMissing && { pending: hash(pending) }),
      ...(isAdopted && { adopted: true }),
      ...(isDeleted && { deleted: true }),
      ...(isMarked(part.get("older")) && { older: true }),
    };
  }
  if (!base.isMissing || !pending.isMissing) throw part.refuse("is skipped, but has a base");
  if (isAdopted) throw part.refuse("is marked as both skipped and adopted");
  if (isDeleted) throw part.refuse("is marked as both skipped and deleted");
  return { kind: "skipped", source };
}

function isMarked(part: JsonPart): boolean {
  if (!part.isMissing && part.value() !== true) throw part.refuse("must be true or omitted");
  return !part.isMissing;
}

import { HugoError } from "../errors.ts";
import { type Hash, isHash } from "../hash.ts";
import { type JsonPart, readJsonObject } from "../json-part.ts";
import type { RememberedPlugin } from "../opencode-config/plugin-edits.ts";
import type { Lock, LockedDelivery, LockedFile, LockedWorkflow } from "./lock.ts";
import { destination, entityNames, packageName, plainPath, workflowName } from "./lock-parts.ts";
import { refuseOrigin } from "./origin.ts";
import { LOCK_VERSION } from "./print-lock.ts";
import { quickLock } from "./quick-lock.ts";

const HINT = "Restore it from version control (git checkout .opencode/hugo.json), then run `hugo ci`.";

/**
 * Reads `.opencode/hugo.json`. It comes with the repository, so it may come from anybody: nothing in it can name a file
 * outside the three folders that Hugo copies to.
 */
export function parseLock(text: string, file: string): Lock {
  const lock = quickLock(text);
  if (lock !== undefined) return lock;
  refuseConflict(text, file);
  return readLock(readJsonObject(text, { file, code: "lock-invalid", hint: HINT }));
}

function readLock(root: JsonPart): Lock {
  refuseNewer(root.get("version"));
  refuseUnknown(root, ["version", "configs", "workflows"]);
  const configs = root.get("configs").entries();
  return {
    configs: new Map(configs.map(([path, made]) => [path, made.oneOf(["file", "array"])])),
    workflows: new Map(
      root
        .get("workflows")
        .entries()
        .map(([name, part]) => [workflowName(name, part), workflow(part)]),
    ),
  };
}

/** Broken JSON would be said of it otherwise, which helps nobody. */
function refuseConflict(text: string, file: string): void {
  const marker = /^(?:<{7}|={7}|>{7}|\|{7})(?=\s|$)/m.exec(text);
  if (marker === null) return;
  const at = `${file}:${text.slice(0, marker.index).split("\n").length}:1`;
  throw new HugoError("lock-conflict", {
    message: `${at}: an unfinished merge is in the way (${marker[0]})`,
    at,
    hint: "Take one side (git checkout --ours or --theirs .opencode/hugo.json), then run `hugo ci` and `hugo install` what the other side had added.",
  });
}

function refuseNewer(part: JsonPart): void {
  const version = part.integer();
  if (version === LOCK_VERSION) return;
  if (version < LOCK_VERSION) throw part.refuse(`is ${version}, which never was a version`);
  const { at } = part;
  throw new HugoError("lock-newer", {
    message: `${at}: the file has version ${version}, but this Hugo only knows version ${LOCK_VERSION}`,
    at,
    hint: "Use the Hugo that wrote it, or a newer one. Nothing was changed.",
  });
}

/** What is not known would be lost at the next write. */
function refuseUnknown(part: JsonPart, known: readonly string[]): void {
  const unknown = part.entries().find(([key]) => !known.includes(key));
  if (unknown !== undefined) throw unknown[1].refuse("is not known");
}

function workflow(part: JsonPart): LockedWorkflow {
  const kind = part.get("delivery").oneOf(["plugin", "copy"]);
  const own = kind === "plugin" ? ["disabled"] : ["parked", "files"];
  refuseUnknown(part, [...COMMON_KEYS, ...own]);
  refuseOrigin(part);
  const integrity = part.get("integrity").optionalString();
  const [tree, workflows, selection] = [part.get("tree"), part.get("workflows"), part.get("selection")];
  return {
    package: packageName(part.get("package")),
    source: part.get("source").string(),
    version: part.get("version").string(),
    ...(integrity !== undefined && { integrity }),
    ...(!tree.isMissing && { tree: hash(tree) }),
    delivery: delivery(kind, part),
    agents: entityNames(part.get("agents")),
    commands: entityNames(part.get("commands")),
    skills: entityNames(part.get("skills")),
    ...(!workflows.isMissing && { workflows: entityNames(workflows) }),
    ...(!selection.isMissing && { selection: selection.items().map(plainPath) }),
  };
}

const COMMON_KEYS = "package source version integrity tree delivery agents commands skills workflows selection".split(
  " ",
);

function delivery(kind: LockedDelivery["kind"], part: JsonPart): LockedDelivery {
  if (kind === "plugin") {
    const disabled = part.get("disabled");
    return { kind, ...(!disabled.isMissing && { disabled: rememberedIn(disabled) }) };
  }
  const parked = part.get("parked");
  if (!parked.isMissing && parked.value() !== true) throw parked.refuse("must be true, or missing");
  const files = part.get("files").entries();
  return {
    kind,
    parked: !parked.isMissing,
    files: new Map(files.map(([path, file]) => [destination(path, file), lockedFile(file)])),
  };
}

function lockedFile(part: JsonPart): LockedFile {
  refuseUnknown(part, ["source", "base", "pending", "adopted", "deleted", "skipped"]);
  const source = plainPath(part.get("source"));
  const [skipped, pending] = [part.get("skipped"), part.get("pending")];
  const [isAdopted, isDeleted] = [isMarked(part.get("adopted")), isMarked(part.get("deleted"))];
  if (skipped.isMissing) {
    return {
      kind: "installed",
      source,
      base: hash(part.get("base")),
      ...(!pending.isMissing && { pending: hash(pending) }),
      ...(isAdopted && { adopted: true }),
      ...(isDeleted && { deleted: true }),
    };
  }
  if (skipped.value() !== true) throw skipped.refuse("must be true, or missing");
  if (!part.get("base").isMissing || !pending.isMissing) throw part.refuse("is skipped, but has a base");
  if (isAdopted) throw part.refuse("is skipped, but adopted");
  if (isDeleted) throw part.refuse("is skipped, but deleted");
  return { kind: "skipped", source };
}

function isMarked(part: JsonPart): boolean {
  if (!part.isMissing && part.value() !== true) throw part.refuse("must be true, or missing");
  return !part.isMissing;
}

/** Nearly always one: then it stands there without a list around it. */
function rememberedIn(part: JsonPart): RememberedPlugin[] {
  if (part.node?.kind !== "array") return [remembered(part)];
  const items = part.items();
  if (items.length < 2) throw part.refuse("is a list without two entries");
  return items.map(remembered);
}

function remembered(part: JsonPart): RememberedPlugin {
  refuseUnknown(part, ["file", "index", "spec", "options"]);
  const options = part.get("options").value();
  return {
    file: part.get("file").string(),
    index: part.get("index").integer(),
    spec: part.get("spec").string(),
    ...(options !== undefined && { options }),
  };
}

function hash(part: JsonPart): Hash {
  const text = part.string();
  if (!isHash(text)) throw part.refuse("is no hash of the form sha256:…");
  return text;
}

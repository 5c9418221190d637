import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import {
  LOCK_VERSION,
  type Lock,
  type LockedDelivery,
  type LockedFile,
  type LockedWorkflow,
  type RememberedPlugin,
} from "./lock.ts";

/** The same text for the same lock, on every machine and in every run: sorted, without times, made for merges by line. */
export function printLock({ workflows, configs }: Lock): string {
  const lock = {
    version: LOCK_VERSION,
    ...(configs.size > 0 && { configs: sorted(configs, (made) => made) }),
    workflows: sorted(workflows, workflowValue),
  };
  return `${JSON.stringify(lock, null, 2)}\n`;
}

function workflowValue(workflow: LockedWorkflow): JsonValue {
  const { package: name, source, version, integrity, tree, delivery, agents, commands, skills } = workflow;
  const { workflows, selection } = workflow;
  return {
    package: name,
    source,
    version,
    ...(integrity !== undefined && { integrity }),
    ...(tree !== undefined && { tree }),
    delivery: delivery.kind,
    agents: agents.toSorted(),
    commands: commands.toSorted(),
    skills: skills.toSorted(),
    ...(workflows !== undefined && { workflows: workflows.toSorted() }),
    ...(selection !== undefined && { selection: selection.toSorted() }),
    ...deliveryValue(delivery),
  };
}

function deliveryValue(delivery: LockedDelivery): Record<string, JsonValue> {
  if (delivery.kind === "copy") {
    const { parked, permission, files } = delivery;
    // Its order counts.
    return { ...(parked && { parked }), ...(permission && { permission }), files: sorted(files, fileValue) };
  }
  if (delivery.disabled === undefined) return {};
  const disabled = delivery.disabled.map(rememberedValue);
  const [only = null] = disabled;
  return { disabled: disabled.length === 1 ? only : disabled };
}

function rememberedValue({ file, index, spec, options }: RememberedPlugin): JsonValue {
  return { file, index, spec, ...(options !== undefined && { options }) };
}

function fileValue(file: LockedFile): JsonValue {
  if (file.kind === "skipped") return { source: file.source, skipped: true };
  const { source, base, pending, adopted, deleted } = file;
  const marks = { ...(adopted && { adopted }), ...(deleted && { deleted }) };
  return { source, base, ...(pending !== undefined && { pending }), ...marks };
}

/** As own properties of an object without a prototype: `constructor` and `__proto__` are keys like any other. */
function sorted<Value>(map: ReadonlyMap<string, Value>, print: (value: Value) => JsonValue): Record<string, JsonValue> {
  const object: Record<string, JsonValue> = Object.create(null);
  for (const key of [...map.keys()].sort()) object[key] = print(map.get(key)!);
  return object;
}

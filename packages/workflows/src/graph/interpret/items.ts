// A map: nodes that run for each item of a list, as branches of one fork, and where the items join.
import type { Json } from "../../run/json.ts";
import { holding, opened, readable } from "../../run/large-part.ts";
import type { Branch } from "../../run/run-ctx.ts";
import { type ErrorRecord, recordError, StepFailedError } from "../../run/step-errors.ts";
import type { MapJson } from "../graph-json.ts";
import { type JsonObject, jsonOf } from "../json-value.ts";
import type { ItemResult } from "../map-node.ts";
import { defaultMaxPrompts } from "../services.ts";
import { joinBranches } from "./branches.ts";
import { itemKeys } from "./item-keys.ts";
import { type BranchJson, openBranch, reduceBuiltin } from "./memory.ts";
import { intoUpdate } from "./result.ts";
import { failure, type GraphScope, resolveValue } from "./scope.ts";

/** What an item did, or why it failed although the others continue. */
type ItemJson = { readonly did?: BranchJson; readonly output: Json } | { readonly failed: ErrorRecord };

export async function runMap(scope: GraphScope, node: MapJson, path: string): Promise<void> {
  const { memory, ctx, services } = scope;
  const items = await itemsOf(scope, node, path);
  const keys = itemKeys(items);
  const nameOf = (at: number): string => `item ${at + 1} of ${items.length}, ${shown(items[at]!)}`;
  const branches = items.map((item, at): Branch => {
    return async (itemCtx) => {
      const inner = memory.forItem(node.as, item);
      try {
        await scope.runNodes({ ...scope, ctx: itemCtx, prefix: `${path}.${keys[at]}/`, memory: inner }, node.nodes);
        const { branch: did, lastOutput: output } = inner;
        return Object.keys(did).length === 0 ? { output } : { did, output };
      } catch (error) {
        if (!(error instanceof StepFailedError)) throw error;
        const { message, ...record } = recordError(error);
        const named = { ...record, message: `${nameOf(at)}: ${message}` };
        // A host that is not installed is missing for the other items, too.
        if (node.onItemError === "continue" && record.code !== "host-missing") return { failed: jsonOf(named, path) };
        throw new StepFailedError(error.key, named, error.attempts, error);
      }
    };
  });
  const limit = node.limit ?? services.maxPrompts ?? defaultMaxPrompts;
  const ended = ((await ctx.fork(path, branches, "all", { limit, large: true })) as unknown as ItemJson[]).map(
    openItem,
  );

  const outputs = holding(ended.map((item) => ("failed" in item ? null : item.output)));
  const failed = ended.flatMap((item) => ("failed" in item ? [item.failed] : []));
  if (failed.length > 0) memory.error = summaryOf(failed, items.length, path);
  const isWhole = node.into !== undefined && scope.graph.state[node.into]?.reducer === "last";
  const into = isWhole ? undefined : node.into;
  const did = ended.map((item) => ("failed" in item ? {} : withOutput(scope, node, path, item, into)));
  await joinBranches(scope, path, did, {
    ...node,
    names: (first, other) => `${nameOf(first)}, and ${nameOf(other)},`,
    results: () =>
      ended.map((item, at): ItemResult<Json> => {
        const update = "failed" in item ? {} : { ...item.did?.delta, ...item.did?.custom };
        return { item: items[at]!, output: readable(outputs[at]!), update: readable(holding(update)) };
      }),
  });
  memory.take(node.id, { output: outputs, ...(isWhole && { update: { [node.into!]: outputs } }) });
}

function openItem(item: ItemJson): ItemJson {
  if ("failed" in item) return { failed: readable(item.failed as Json & ErrorRecord) };
  return item.did === undefined ? item : { did: openBranch(opened(item.did)), output: item.output };
}

/** Made once: a resumed run works on the list that it began with. */
async function itemsOf(scope: GraphScope, { id, over }: MapJson, path: string): Promise<readonly Json[]> {
  if ("value" in over) return over.value;
  return await scope.ctx.step<readonly Json[]>(
    `${path}:over`,
    async () => {
      const list = jsonOf(await resolveValue(scope, id, over), `The list for the node "${id}"`);
      if (Array.isArray(list)) return list;
      const given = list === null ? "nothing" : typeof list === "object" ? "an object" : `a ${typeof list}`;
      throw new TypeError(`"over" in the node "${id}" returned ${given} instead of a list.`);
    },
    { local: true },
  );
}

/** What an item did, together with its output for `into`. Added here, so the journal does not hold the output twice. */
function withOutput(
  scope: GraphScope,
  node: MapJson,
  path: string,
  { did = {}, output }: { readonly did?: BranchJson; readonly output: Json },
  into: string | undefined,
): BranchJson {
  if (into === undefined) return did;
  const reducer = scope.graph.state[into]?.reducer ?? "last";
  if (reducer === "custom") {
    return { ...did, custom: { ...did.custom, [into]: [...(did.custom?.[into] ?? []), output] } };
  }
  let update: JsonObject;
  try {
    update = intoUpdate(scope, { id: node.id, into }, reducer === "append" ? output : readable(output));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // the output does not fit the reducer
    throw failure(path, "TypeError", error.message);
  }
  return { ...did, delta: { ...did.delta, [into]: reduceBuiltin(reducer, did.delta?.[into], update[into]!) } };
}

const mostNamed = 3;

function summaryOf(failed: readonly ErrorRecord[], total: number, path: string): ErrorRecord {
  const named = failed.slice(0, mostNamed).map(({ message }) => message);
  const more = failed.length > mostNamed ? [`and ${failed.length - mostNamed} more`] : [];
  const message = `${failed.length} of ${total} items failed: ${[...named, ...more].join("; ")}`;
  return { name: "ItemsFailedError", message, key: failed[0]?.key ?? path };
}

/** How an item is named in messages. */
function shown(item: Json): string {
  const text = JSON.stringify(item);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

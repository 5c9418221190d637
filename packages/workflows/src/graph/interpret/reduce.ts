import type { Json } from "../../run/json.ts";
import type { ChannelJson, ReducerName } from "../graph-json.ts";
import type { JsonObject } from "../json-value.ts";
import { appended } from "./frozen-list.ts";

export function isBuiltin(reducer: ChannelJson["reducer"]): reducer is ReducerName {
  return reducer !== "custom";
}

/** Without a current value the update is the value. Both fit the reducer (`unfitFor`). */
export function reduceBuiltin(reducer: ReducerName, current: Json | undefined, update: Json): Json {
  if (reducer === "append") return appended(current as readonly Json[] | undefined, update as readonly Json[]);
  if (current === undefined || reducer === "last") return update;
  if (reducer === "sum") return Number(current) + Number(update);
  if (reducer === "max") return Math.max(Number(current), Number(update));
  return Object.freeze({ ...(current as JsonObject), ...(update as JsonObject) });
}

/** What a reducer cannot take; `undefined` if it can. */
export function unfitFor(reducer: ChannelJson["reducer"], update: Json): string | undefined {
  switch (reducer) {
    case "append":
      return Array.isArray(update) ? undefined : "a list to append";
    case "merge":
      return typeof update === "object" && update !== null && !Array.isArray(update) ? undefined : "an object to merge";
    case "sum":
    case "max":
      return typeof update === "number" ? undefined : "a number";
    default:
      return undefined;
  }
}

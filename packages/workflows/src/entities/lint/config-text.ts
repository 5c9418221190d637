import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { positionsOf, type TextPosition } from "@atomic/durable-files/jsonc/position";
import type { JsonNode, PropertyNode } from "@atomic/durable-files/jsonc/tree";

/** Where `agent.review` and its keys stand in an opencode.json. */
export function positionsInConfig(
  text: string,
  pointer: string,
): (key: string | undefined) => TextPosition | undefined {
  const root = rootOf(text);
  const positionOf = positionsOf(text);
  const dot = pointer.indexOf(".");
  const group = propertyOf(root, pointer.slice(0, dot));
  const entry = propertyOf(group?.value, pointer.slice(dot + 1));
  return (key) => {
    const property = (key === undefined ? undefined : propertyOf(entry?.value, key)) ?? entry;
    return property && positionOf(property.start);
  };
}

function rootOf(text: string): JsonNode | undefined {
  try {
    return parseJsonc(text).root;
  } catch (error) {
    // It was valid when it was loaded; somebody is editing it.
    if (error instanceof DurableError) return undefined;
    throw error;
  }
}

/** Of two properties with one name the last counts, as in OpenCode. */
function propertyOf(node: JsonNode | undefined, key: string): PropertyNode | undefined {
  return node?.kind === "object" ? node.properties.findLast((property) => property.key.value === key) : undefined;
}

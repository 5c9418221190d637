import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { positionsOf, type TextPosition } from "@atomic/durable-files/jsonc/position";
import type { JsonNode, PropertyNode } from "@atomic/durable-files/jsonc/tree";
import type { Diagnostic } from "../diagnostic.ts";
import type { Entity } from "../entity.ts";
import { type KeyPath, quickPositions } from "../frontmatter/locate.ts";
import { type Frontmatter, parseFrontmatter } from "../frontmatter/parse.ts";
import { splitFrontmatter } from "../frontmatter/split.ts";
import type { EntityRegistry } from "../registry.ts";
import type { ReadText } from "../tools/load-verdicts.ts";
import type { ToolVerdict } from "../tools/tool.ts";
import type { KnownNames } from "./known-names.ts";

/** One entity, and everything that a rule may need to know about it. */
export interface Subject {
  readonly entity: Entity;
  /** The frontmatter, or the values in a config file. */
  readonly values: Readonly<Record<string, unknown>>;
  /** False if some part of the frontmatter could not be read: what seems to be missing may be there. */
  readonly isComplete: boolean;
  /** The whole file; `undefined` for an entry of a config file. */
  readonly text: string | undefined;
  readonly body: string;
  /** Where the body starts in the text. */
  readonly bodyStart: number;
  readonly verdicts: readonly ToolVerdict[];
  readonly registry: EntityRegistry;
  readonly namesOf: KnownNames;
  /** The position of a key or an offset; without one, of the entry if the entity is one in a config file. */
  readonly positionOf: (at: KeyPath | number | undefined) => TextPosition | undefined;
}

/** The entity as it is in its file now, or why the file can no longer be read. */
export function readSubject(
  entity: Entity,
  context: Pick<Subject, "registry" | "namesOf" | "verdicts">,
  read: ReadText,
): Subject | Diagnostic {
  const { path, pointer } = entity.source;
  const shared = { ...context, entity, values: entity.frontmatter };
  const file = path === undefined ? undefined : read(path);
  if (file?.kind === "unreadable") return file.diagnostic;
  if (file !== undefined && pointer === undefined) {
    const { text } = file;
    const split = splitFrontmatter(text);
    const { bodyStart } = split;
    const quickly = quickPositions(split.kind === "present" ? split.yaml : "");
    // Most rules and positions need no second reading of the values.
    let frontmatter: Frontmatter | undefined;
    const matter = () => (frontmatter ??= parseFrontmatter(text));
    let positionAt: ReturnType<typeof positionsOf> | undefined;
    return {
      ...shared,
      get isComplete() {
        return matter().complete;
      },
      text,
      body: text.slice(bodyStart),
      bodyStart,
      positionOf: (at) => {
        if (typeof at !== "number") return at && (quickly(at) ?? matter().positionOf(at));
        positionAt ??= positionsOf(text);
        return positionAt(at);
      },
    };
  }
  const withoutText = { ...shared, isComplete: true, text: undefined, body: entity.prompt, bodyStart: 0 };
  if (file === undefined || pointer === undefined) return { ...withoutText, positionOf: () => undefined };
  // An entry of an opencode.json: the position of `agent.review` and its keys.
  let root: JsonNode | undefined;
  try {
    root = parseJsonc(file.text).root;
  } catch (error) {
    // It was valid when it was loaded; you may be editing it.
    if (!(error instanceof DurableError)) throw error;
  }
  const positionAt = positionsOf(file.text);
  const dot = pointer.indexOf(".");
  const entry = propertyOf(propertyOf(root, pointer.slice(0, dot))?.value, pointer.slice(dot + 1));
  return {
    ...withoutText,
    positionOf: (at) => {
      const property = (typeof at === "object" ? propertyOf(entry?.value, String(at[0])) : undefined) ?? entry;
      return property && positionAt(property.start);
    },
  };
}

/** If a key appears twice, the last one counts, as in OpenCode. */
function propertyOf(node: JsonNode | undefined, key: string): PropertyNode | undefined {
  return node?.kind === "object" ? node.properties.findLast((property) => property.key.value === key) : undefined;
}

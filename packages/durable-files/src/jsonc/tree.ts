/** Half-open range of offsets into the text, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface ObjectNode extends Span {
  readonly kind: "object";
  /** In the order of the text, duplicates included. */
  readonly properties: readonly PropertyNode[];
}

export interface PropertyNode extends Span {
  readonly kind: "property";
  readonly key: StringNode;
  readonly value: JsonNode;
}

export interface ArrayNode extends Span {
  readonly kind: "array";
  readonly items: readonly JsonNode[];
}

export interface StringNode extends Span {
  readonly kind: "string";
  readonly value: string;
}

export interface NumberNode extends Span {
  readonly kind: "number";
  readonly value: number;
}

export interface BooleanNode extends Span {
  readonly kind: "boolean";
  readonly value: boolean;
}

export interface NullNode extends Span {
  readonly kind: "null";
  readonly value: null;
}

export type ContainerNode = ObjectNode | ArrayNode;
export type JsonNode = ContainerNode | StringNode | NumberNode | BooleanNode | NullNode;
export type MemberNode = PropertyNode | JsonNode;

/** A whole text that parsed. `root` is undefined when the text holds nothing but white space and comments. */
export interface JsonDocument {
  readonly text: string;
  readonly file: string | undefined;
  readonly root: JsonNode | undefined;
  /** Every comment, in the order of the text. */
  readonly comments: readonly Span[];
}

/** What is between the brackets: the properties of an object, the items of an array, nothing for other values. */
export function members(node: JsonNode): readonly MemberNode[] {
  if (node.kind === "object") return node.properties;
  return node.kind === "array" ? node.items : [];
}

/** The value of a member: that of a property, or the array item itself. */
export function memberValue(member: MemberNode): JsonNode {
  return member.kind === "property" ? member.value : member;
}

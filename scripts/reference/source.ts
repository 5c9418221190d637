// What the sources say about themselves: comments beside declarations, and the texts that an expression can become.
import { parseAst } from "rolldown/parseAst";

/** A node of the syntax tree, by its type and position; everything else is looked at with care. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface ParsedSource {
  readonly file: string;
  readonly text: string;
  readonly nodes: readonly SyntaxNode[];
}

/** Every node of a file, outer ones before inner ones. */
export function parseSource(file: string, text: string): ParsedSource {
  const nodes: SyntaxNode[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (!isNode(value)) return;
    nodes.push(value);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(parseAst(text, { lang: "ts" }));
  return { file, text, nodes };
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** The comment above a declaration or a member of a union, or else the one behind it on its line; one line of text. */
export function commentOf({ text }: ParsedSource, { start, end }: SyntaxNode): string | undefined {
  const above = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/[\s|]*$/.exec(text.slice(0, start));
  if (above !== null) return oneLine((above[1] ?? "").replaceAll(/^\s*\*/gm, ""));
  const behind = /^[;,]?[ \t]*\/\/([^\n]*)/.exec(text.slice(end));
  return behind === null ? undefined : oneLine(behind[1] ?? "");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** The type with this name, in `type Name = …`. */
export function typeNamed(source: ParsedSource, name: string): SyntaxNode {
  const found = source.nodes.find(
    (node) => node.type === "TSTypeAliasDeclaration" && isNode(node.id) && node.id.name === name,
  );
  if (!isNode(found?.typeAnnotation)) throw new Error(`${source.file} has no type ${name}`);
  return found.typeAnnotation;
}

/** A union's members; a type that is not a union is its only member. */
export function membersOf(type: SyntaxNode): readonly SyntaxNode[] {
  return type.type === "TSUnionType" ? (type.types as readonly SyntaxNode[]) : [type];
}

/** The value of an object's property, by name. */
export function propertyOf(object: unknown, name: string): SyntaxNode | undefined {
  if (!isNode(object) || object.type !== "ObjectExpression") return undefined;
  const found = (object.properties as readonly SyntaxNode[]).find(({ key }) => isNode(key) && nameOf(key) === name);
  return isNode(found?.value) ? found.value : undefined;
}

/** An identifier's name, or a literal's text. */
export function nameOf(node: unknown): string {
  if (!isNode(node)) return "";
  return String(node.type === "Literal" ? node.value : (node.name ?? ""));
}

/**
 * The texts that an expression can become, with `…` for what is filled in. None if the source does not show any: the text comes
 * from elsewhere.
 */
export function textsOf(expression: unknown, source: ParsedSource): readonly string[] {
  if (!isNode(expression)) return [];
  switch (expression.type) {
    case "Literal":
      return typeof expression.value === "string" ? [oneLine(expression.value)] : [];
    case "TemplateLiteral": {
      const quasis = expression.quasis as readonly { readonly value: { readonly cooked: string } }[];
      const filled = (expression.expressions as readonly unknown[]).map((each) => {
        const texts = isNode(each) && each.type === "TaggedTemplateExpression" ? textsOf(each, source) : [];
        return texts[0] ?? "…";
      });
      const text = oneLine(quasis.map(({ value }, index) => `${value.cooked}${filled[index] ?? ""}`).join(""));
      return /[A-Za-z]{2}/.test(text) ? [text] : [];
    }
    case "TaggedTemplateExpression":
      return textsOf(expression.quasi, source);
    case "ConditionalExpression":
      return [...textsOf(expression.consequent, source), ...textsOf(expression.alternate, source)];
    case "LogicalExpression":
      return [...textsOf(expression.left, source), ...textsOf(expression.right, source)];
    case "BinaryExpression": {
      const [left, right] = [textsOf(expression.left, source), textsOf(expression.right, source)];
      const [first = "…", second = "…"] = [left[0], right[0]];
      return left.length + right.length === 0 ? [] : [`${first} ${second}`.replace(/…(?: …)+$/, "…")];
    }
    case "Identifier":
      return textsOf(constantNamed(nameOf(expression), source, expression.start), source);
    default:
      return [];
  }
}

/** What the nearest `const` above has, if it has that name. */
function constantNamed(name: string, { nodes }: ParsedSource, before: number): unknown {
  const found = nodes.findLast(
    ({ type, id, start }) => type === "VariableDeclarator" && start < before && isNode(id) && nameOf(id) === name,
  );
  return found?.init;
}

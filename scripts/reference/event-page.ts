// The page of events, from the types and schemas that declare them, with the comments beside them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { code, prose, sentence, table } from "./markdown.ts";
import {
  commentOf,
  isNode,
  membersOf,
  nameOf,
  type ParsedSource,
  parseSource,
  type SyntaxNode,
  typeNamed,
} from "./source.ts";

export interface DocumentedEvent {
  readonly type: string;
  readonly means: string | undefined;
  readonly fields: readonly { readonly name: string; readonly means: string | undefined }[];
}

const runEvents = "packages/workflows/src/run/events.ts";
const magnusEvents = "packages/magnus-opus/src/run/event.ts";

export function eventPage(root: string): string {
  const [runs, magnus] = [eventsOfRuns(root), eventsOfMagnus(root)];
  return [
    "# Events",
    "What happens is appended to a journal, one checksummed line for each event, and everything else is worked out from that. You read events with `--json`, and in the journals themselves. A new version may add events and fields, so programs should ignore those that they do not know.",
    "## Runs",
    "`atomic run --json`, `atomic resume --json` and `atomic show --follow --json` print each event as a line `{ type, at, … }`, where `at` is milliseconds since 1970. The journal is `.atomic/runs/<run>/journal.jsonl`, or the database that `--engine` names. `key` is the path of a call in the graph, such as `fan.1/loop#3/work`.",
    eventTable(runs),
    "Between them, a running step reports `step-note` (`key`, `note`, `at`), which is kept in the run's transcript, not in its journal.",
    "## Magnus Opus",
    "The journal is `ai-docs/sessions/<run>/journal.jsonl`; `magnus-opus timeline --json` prints it. Every event has `at`, and `by`: `plugin`, `agent` (with `agent` and `session`) or `person` (with `how`: `command`, `permission` or `shell`, and `name`). A line whose `by` does not fit its type is refused.",
    ...(["plugin", "agent", "person"] as const).map((who) => {
      const events = magnus.filter(({ by }) => by === who);
      return `**Recorded by ${who === "plugin" ? "the plugin" : `${who === "agent" ? "an agent" : "you"}`}**\n\n${eventTable(events)}`;
    }),
  ].join("\n\n");
}

function eventTable(events: readonly DocumentedEvent[]): string {
  return table(
    ["event", "means", "fields"],
    events.map(({ type, means = "", fields }) => [
      code(type),
      prose(sentence(means)),
      fields.map(fieldText).join(", "),
    ]),
  );
}

function fieldText({ name, means }: DocumentedEvent["fields"][number]): string {
  return means === undefined ? code(name) : `${code(name)} (${prose(means.replace(/\.$/, ""))})`;
}

/** The members of `RunEventBody`, in its order. */
export function eventsOfRuns(root: string): readonly DocumentedEvent[] {
  const source = read(root, runEvents);
  return membersOf(typeNamed(source, "RunEventBody")).map((member) => {
    const name = member.type === "TSTypeReference" ? nameOf(member.typeName) : undefined;
    const declared = source.nodes.find((node) => node.type === "TSInterfaceDeclaration" && nameOf(node.id) === name);
    const body = isNode(declared?.body) ? (declared.body.body as readonly SyntaxNode[]) : undefined;
    const members = body ?? (member.members as readonly SyntaxNode[]);
    const type = members.find(({ key }) => nameOf(key) === "type");
    const fields = members.filter((each) => each !== type);
    // An exported interface begins with its `export`.
    const exported = source.nodes.find(
      (node) => node.type === "ExportNamedDeclaration" && node.declaration === declared,
    );
    return {
      type: wordIn(type),
      means: commentOf(source, member) ?? (declared && commentOf(source, exported ?? declared)),
      fields: fields.map((field) => ({ name: nameOf(field.key), means: commentOf(source, field) })),
    };
  });
}

/** The word of `type: "word"`. */
function wordIn(member: SyntaxNode | undefined): string {
  const annotation = member?.typeAnnotation as { readonly typeAnnotation?: SyntaxNode } | undefined;
  return nameOf(annotation?.typeAnnotation?.literal);
}

/** Every `by(who, "type", { … })`. */
export function eventsOfMagnus(root: string): readonly (DocumentedEvent & { readonly by: string })[] {
  const source = read(root, magnusEvents);
  const calls = source.nodes.filter(({ type, callee }) => type === "CallExpression" && nameOf(callee) === "by");
  return calls.map((call) => {
    const [who, type, shape] = call.arguments as readonly SyntaxNode[];
    return {
      ...{ by: nameOf(who), type: nameOf(type), means: commentOf(source, statementOf(call, source)) },
      fields: fieldsOf(shape, source),
    };
  });
}

/** The declaration that consists of this call, if there is one. */
function statementOf(call: SyntaxNode, { nodes }: ParsedSource): SyntaxNode {
  return (
    nodes.find(({ type, declarations }) => {
      const [only] = type === "VariableDeclaration" ? (declarations as readonly SyntaxNode[]) : [];
      return only?.init === call;
    }) ?? call
  );
}

function fieldsOf(shape: SyntaxNode | undefined, source: ParsedSource): DocumentedEvent["fields"] {
  const properties = (shape?.properties ?? []) as readonly SyntaxNode[];
  return properties.flatMap((property) => {
    if (property.type === "SpreadElement") return fieldsOf(property.argument as SyntaxNode, source);
    return [{ name: nameOf(property.key), means: commentOf(source, property) }];
  });
}

function read(root: string, file: string): ParsedSource {
  return parseSource(file, readFileSync(join(root, file), "utf8"));
}

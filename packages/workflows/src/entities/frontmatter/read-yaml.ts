// The full YAML reader behind the fast scanner, with limits that keep a hostile document cheap.

import type { Document, Pair } from "yaml";
import { findTooDeep } from "./nesting.ts";
import { parseYamlDocument, yaml } from "./yaml-parser.ts";
import * as problem from "./yaml-problem.ts";

/** `refused` means that nothing can be said about any key. */
export type YamlReading =
  | { readonly kind: "refused"; readonly problem: problem.YamlProblem }
  | {
      readonly kind: "read";
      readonly values: Readonly<Record<string, unknown>>;
      /** Top-level keys that are left out of the values, each because of an error among the problems. */
      readonly unreadableKeys: readonly string[];
      readonly problems: readonly problem.YamlProblem[];
    };

/** Generous for an alias or two; a bomb needs thousands. */
const MOST_ALIASED_NODES = 200;

interface Progress {
  /** By the top-level key that they make unreadable. */
  readonly problems: Map<string, problem.YamlProblem>;
  readonly anchors: Map<string, { readonly value: unknown; readonly nodes: number }>;
  nodes: number;
  aliased: number;
  /** The top-level key whose value is being read. */
  key: string;
  /** Set once the document is hopeless; then nothing more is read. */
  refusal?: problem.YamlProblem;
}

/** Reads any YAML document. Never throws; duplicate and merge keys make only their own top-level key unreadable. */
export function readYaml(text: string): YamlReading {
  const deep = findTooDeep(text);
  if (deep !== -1) return refuse(problem.tooDeepProblem(deep));
  let document: Document.Parsed;
  try {
    document = parseYamlDocument(text);
  } catch (error) {
    // A stack overflow or a bug of the parser: one hostile file must not cost the others.
    return refuse(problem.parserFailure(error));
  }
  const syntax = document.errors[0];
  return syntax === undefined ? readDocument(document) : refuse(problem.syntaxProblem(syntax));
}

function readDocument(document: Document.Parsed): YamlReading {
  const { contents, warnings } = document;
  const { isMap, isScalar } = yaml();
  const empty = contents === null || (isScalar(contents) && contents.value === null);
  const items = isMap(contents) ? contents.items : [];
  if (!empty && !isMap(contents)) return refuse(problem.notAMapProblem(offsetOf(contents)));

  const progress: Progress = { problems: new Map(), anchors: new Map(), nodes: 0, aliased: 0, key: "" };
  const values = readMap(items, progress, true);
  if (progress.refusal !== undefined) return refuse(progress.refusal);
  const unreadableKeys = [...progress.problems.keys()];
  for (const key of unreadableKeys) delete values[key];
  const problems = [...progress.problems.values(), ...warnings.slice(0, 1).map(problem.warningProblem)];
  return { kind: "read", values: Object.freeze(values), unreadableKeys, problems };
}

function refuse(because: problem.YamlProblem): YamlReading {
  return { kind: "refused", problem: because };
}

function emptyMap(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function readMap(items: readonly Pair[], progress: Progress, top: boolean): Record<string, unknown> {
  const map = emptyMap();
  for (const { key, value } of items) {
    if (progress.refusal !== undefined) break;
    const name = String(yaml().isScalar(key) ? key.value : key);
    if (top) progress.key = name;
    if (name === "<<") addProblem(problem.mergeKeyProblem(offsetOf(key)), progress);
    else if (name in map) addProblem(problem.duplicateKeyProblem(name, offsetOf(key)), progress);
    map[name] = readNode(value, progress);
  }
  return map;
}

function addProblem(found: problem.YamlProblem, { problems, key }: Progress): void {
  if (!problems.has(key)) problems.set(key, found);
}

function readNode(node: unknown, progress: Progress): unknown {
  if (progress.refusal !== undefined) return null;
  const { isAlias, isMap, isScalar, isSeq } = yaml();
  const before = progress.nodes;
  progress.nodes += 1;
  if (isAlias(node)) return readAlias(node.source, offsetOf(node), progress);
  let value: unknown = null;
  if (isScalar(node)) value = node.value;
  else if (isSeq(node)) value = Object.freeze(node.items.map((item) => readNode(item, progress)));
  else if (isMap(node)) value = Object.freeze(readMap(node.items, progress, false));
  const anchor = isScalar(node) || isSeq(node) || isMap(node) ? node.anchor : undefined;
  if (anchor !== undefined) progress.anchors.set(anchor, { value, nodes: progress.nodes - before });
  return value;
}

/** An anchor is known only after its whole value, so no value can contain itself. */
function readAlias(name: string, offset: number, progress: Progress): unknown {
  const anchor = progress.anchors.get(name);
  progress.aliased += anchor?.nodes ?? 0;
  progress.nodes += anchor?.nodes ?? 0;
  if (anchor === undefined) progress.refusal = problem.unknownAliasProblem(name, offset);
  else if (progress.aliased > MOST_ALIASED_NODES) progress.refusal = problem.tooManyAliasesProblem(offset);
  return anchor?.value;
}

function offsetOf(node: unknown): number {
  return yaml().isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

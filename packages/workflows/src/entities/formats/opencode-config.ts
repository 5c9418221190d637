import { DurableError } from "@atomic/durable-files/errors";
import type { ExplainedError } from "@atomic/durable-files/explained-error";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { positionsOf } from "@atomic/durable-files/jsonc/position";
import type { JsonNode } from "@atomic/durable-files/jsonc/tree";
import { toValue } from "@atomic/durable-files/jsonc/value";
import { deepFreeze } from "../deep-freeze.ts";
import { makeEntity } from "../define-entity.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { type Reading, type SourceFile, sourceOf } from "../format.ts";
import { normalizeModel } from "../normalize/model.ts";
import { normalizePermission } from "../normalize/permission.ts";
import { combineTools, type NormalizedTools } from "../normalize/restrictions.ts";
import { normalizeTools } from "../normalize/tools.ts";
import { readGeneral } from "../opencode-general.ts";

const kinds = [
  { key: "agent", type: "agent", body: "prompt" },
  { key: "mode", type: "agent", body: "prompt" },
  { key: "command", type: "command", body: "template" },
] as const;

/** The agents and commands in an opencode.json. */
export function readOpencodeConfig(file: SourceFile): Reading {
  const config = parseConfig(file);
  const said = readGeneral(file);
  const { path, location, place } = file;
  const general = said !== undefined && { general: { path, location, place, ...said } };
  if (config.kind === "broken") return { entities: [], diagnostics: [config.diagnostic], ...general };
  const { root } = config;
  if (root?.kind !== "object") return { entities: [], diagnostics: [] };
  const positionOf = positionsOf(file.text);
  const entities = root.properties.flatMap(({ key, value }) => {
    const kind = kinds.find((candidate) => candidate.key === key.value);
    if (kind === undefined || value.kind !== "object") return [];
    // If a key appears twice, the last one counts, as in OpenCode.
    const byName = new Map(value.properties.map((property) => [property.key.value, property]));
    return [...byName.values()].flatMap((property) => {
      const position = positionOf(property.start);
      if (property.value.kind !== "object") return [];
      const values = toValue(property.value) as Readonly<Record<string, unknown>>;
      const tools = opencodeTools(values);
      const { diagnostics: modelDiagnostics, ...model } = normalizeModel(values.model);
      const prompt = values[kind.body];
      const displayName = property.key.value;
      const diagnostics: Diagnostic[] = [...tools.diagnostics, ...modelDiagnostics].map((diagnostic) => ({
        ...diagnostic,
        path: file.path,
        ...position,
      }));
      const facts = {
        type: kind.type,
        name: displayName.toLowerCase(),
        displayName,
        description: typeof values.description === "string" ? values.description : "",
        aliases: [],
        ...(tools.kind === "restricted" && tools.tools && { tools: tools.tools }),
        restrictions: tools.kind === "restricted" ? tools.restrictions : {},
        ...model,
        argumentNames: [],
        source: { ...sourceOf("opencode", file), pointer: `${kind.key}.${displayName}` },
        frontmatter: deepFreeze(values),
        diagnostics,
        ...(tools.kind === "unreadable" && {
          disabledBecause: tools.diagnostics[0]?.message ?? "its tool list cannot be read",
        }),
      } as const;
      return [makeEntity(facts, { text: typeof prompt === "string" ? prompt : "" })];
    });
  });
  return { entities, diagnostics: [], ...general };
}

export function opencodeTools(values: Readonly<Record<string, unknown>>): NormalizedTools {
  return combineTools(normalizeTools(values.tools, { provider: "opencode" }), normalizePermission(values.permission));
}

/** The tree of a config file that is JSON with comments (none for an empty file), or why it cannot be read. */
export type ParsedConfig =
  | { readonly kind: "parsed"; readonly root: JsonNode | undefined }
  | { readonly kind: "broken"; readonly diagnostic: Diagnostic };

export function parseConfig({ path, text }: { readonly path: string; readonly text: string }): ParsedConfig {
  try {
    return { kind: "parsed", root: parseJsonc(text).root };
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    return { kind: "broken", diagnostic: diagnosticAt(error, { code: "config-syntax", path }) };
  }
}

/** An error whose message starts with its position, as a diagnostic, which has the position apart from the message. */
export function diagnosticAt(
  { message, at, hint }: Pick<ExplainedError, "message" | "at" | "hint">,
  { code, path }: { readonly code: string; readonly path: string },
): Diagnostic {
  const [, line, column] = /:(\d+):(\d+)$/.exec(at ?? "") ?? [];
  return {
    severity: "error",
    code,
    message: message.replace(`${at}: `, ""),
    path,
    ...(line !== undefined && { line: Number(line), column: Number(column) }),
    ...(hint !== undefined && { hint }),
  };
}

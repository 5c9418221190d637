// Whatever a tool's own reader sees of a restriction, the registry's entity has one too, or is disabled.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Entity } from "../src/entities/entity.ts";
import { formats } from "../src/entities/formats/all.ts";
import { createEntityRegistry } from "../src/entities/registry.ts";
import { readClaudeFrontmatter } from "../src/entities/tools/claude.ts";
import { readCopilotFrontmatter } from "../src/entities/tools/copilot.ts";
import { readOpencodeFrontmatter } from "../src/entities/tools/opencode-frontmatter.ts";

type Values = Readonly<Record<string, unknown>>;

interface Reader {
  readonly provider: "claude" | "opencode" | "copilot";
  readonly restricts: readonly string[];
  /** Each of them forbids something. */
  readonly restrictions: readonly string[];
  valuesOf(text: string): Values;
}

const lists = ["tools: Read", "tools: [Read, Grep]", '"tools": Read', "tools:\n  - Read", "tools: []", "tools: b*"];
const readers: readonly Reader[] = [
  {
    provider: "claude",
    restricts: ["tools", "disallowedTools"],
    restrictions: [...lists, "disallowedTools: Bash", "{tools: Read}", "tools: Bash(git: x)", "tools: ]["],
    valuesOf: (text) => readClaudeFrontmatter(text).values,
  },
  {
    provider: "opencode",
    restricts: ["tools", "permission"],
    restrictions: [
      "permission: deny",
      "permission:\n  bash: deny",
      "permission: { 'e*': deny }",
      "tools: { write: false }",
      "tools:\n  '*it': false",
      "{permission: deny}",
    ],
    valuesOf(text) {
      const read = readOpencodeFrontmatter(text);
      return read.kind === "values" ? read.values : {};
    },
  },
  {
    provider: "copilot",
    restricts: ["tools"],
    restrictions: lists,
    valuesOf(text) {
      const read = readCopilotFrontmatter(text, { needed: false });
      return read.kind === "values" ? read.values : {};
    },
  },
];

/** Mostly what people write, so that a file has one or two oddities and not a dozen. */
function mostly(usual: string, ...odd: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof({ weight: 8, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(...odd) });
}

const fences = ["----", "---yaml", "--- yml", "---js", "--- #", "...", " ---", ""];
const before = mostly("", " ", "\t", "\n", "\r\n", "\ufeff", "\ufeff\ufeff", "\u200b", "\u00a0", "\v", "\u2028");
const fence = mostly("---", ...fences);
const space = mostly("", " ", "\t", "\u00a0", "\v", "\f", "\u2003", "\u2028", "\ufeff", "\u200b", "\u0085");
const newline = mostly("\n", "\r\n", "\r");
const other = fc.array(
  fc.constantFrom("", "# a comment", "name: x", "model: a --- b", "description: a: b", "Text.", "  x: y", ...fences),
  { maxLength: 2 },
);

function fileFor({ restrictions }: Reader): fc.Arbitrary<string> {
  return fc
    .tuple(before, fence, other, fc.constantFrom(...restrictions), other, fence, other)
    .chain(([start, opening, above, restriction, below, closing, body]) =>
      fc
        .tuple(
          ...[opening, ...above, restriction, ...below, closing, ...body].map((line) =>
            fc.tuple(space, newline).map((end) => line + end.join("")),
          ),
        )
        .map((lines) => start + lines.join("")),
    );
}

function registered({ provider }: Reader, text: string): Entity | undefined {
  const places = formats.find((format) => format.provider === provider)?.places ?? [];
  const place = places.find((candidate) => candidate.kind === "folder" && candidate.type === "agent");
  const file = { path: "/p/x.md", relative: "x.md", text, location: "project", place: "p" } as const;
  const registry = createEntityRegistry();
  for (const entity of place?.read(file).entities ?? []) registry.register(entity);
  return registry.all("agent")[0];
}

describe("every restriction that a tool sees in a file, however odd, is also in the registry:", () => {
  test.each(readers.map((reader) => [reader.provider, reader] as const))("%s", (_provider, reader) => {
    let seen = 0;
    fc.assert(
      fc.property(fileFor(reader), (text) => {
        const values = reader.valuesOf(text);
        if (!reader.restricts.some((key) => values[key] !== undefined)) return;
        seen += 1;
        const entity = registered(reader, text);
        const isBound = entity?.disabledBecause !== undefined || Object.keys(entity?.restrictions ?? {}).length > 0;
        expect({ text, isBound }).toEqual({ text, isBound: true });
      }),
      { numRuns: 5_000 },
    );
    // A property that never meets its case proves nothing.
    expect(seen).toBeGreaterThan(200);
  });
});

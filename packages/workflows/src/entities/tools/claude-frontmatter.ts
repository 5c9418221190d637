import { quoteValues, recoverLikeClaude } from "../frontmatter/recover.ts";
import { NO_VALUES, readYamlBlock, type Values, type YamlDialect } from "./yaml-block.ts";

export interface ClaudeFrontmatter {
  readonly values: Values;
  readonly body: string;
}

const dialect: YamlDialect = { forbidden: /\0/ };

/** As Claude Code 2.1 reads it: it never refuses a file; what it cannot read counts as absent. */
export function readClaudeFrontmatter(text: string): ClaudeFrontmatter {
  const clean = text.replace(/^\ufeff/, "");
  const [opening] = /^---\s*/.exec(clean) ?? [];
  const start = (opening?.lastIndexOf("\n") ?? -1) + 1;
  // Any three dashes end the block, be it in the middle of a value.
  const end = start === 0 ? -1 : clean.indexOf("---", start);
  if (end === -1) return { values: NO_VALUES, body: clean };
  return { values: readValues(clean.slice(start, end)), body: clean.slice(end + 3) };
}

function readValues(yaml: string, mayQuote = true): Values {
  const block = readYamlBlock(yaml, dialect);
  switch (block.kind) {
    case "map":
      return block.values;
    case "duplicates": {
      const last = readYamlBlock(keepLastKeys(yaml), dialect);
      return last.kind === "map" || last.kind === "duplicates" ? last.values : NO_VALUES;
    }
    case "not-a-map":
      return NO_VALUES;
    case "invalid": {
      const quoted = mayQuote ? quoteValues(yaml, recoverLikeClaude) : undefined;
      return quoted === undefined ? NO_VALUES : readValues(quoted.yaml, false);
    }
  }
}

const TOP_LEVEL_KEY = /^([^\s#:][^:]*):(?:\s|$)/;

/** The same YAML without those top-level keys that come again further down. */
function keepLastKeys(yaml: string): string {
  const kept: string[] = [];
  const seen = new Set<string>();
  let pending: string[] = [];
  for (const line of yaml.split("\n").reverse()) {
    pending.push(line);
    const key = TOP_LEVEL_KEY.exec(line)?.[1];
    if (key === undefined) continue;
    if (!seen.has(key)) kept.push(...pending);
    seen.add(key);
    pending = [];
  }
  return [...kept, ...pending].reverse().join("\n");
}

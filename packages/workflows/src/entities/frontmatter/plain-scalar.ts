// The YAML 1.2 core schema for unquoted scalars: `no` and `2024-01-01` stay strings, `012` is 12, `0o12` is 10.

export type Scalar = string | number | boolean | null;

const NULL = /^(?:~|[Nn]ull|NULL)?$/;
const BOOLEAN = /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/;
const DECIMAL = /^[-+]?[0-9]+$/;
const PREFIXED = /^0(?:o[0-7]+|x[0-9a-fA-F]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;

/** Nearly every scalar of a real file is a word or a sentence: one look at its first character settles that. */
export function resolvePlainScalar(text: string): Scalar {
  switch (text[0]) {
    case "t":
    case "T":
    case "f":
    case "F":
    case "n":
    case "N":
    case "~":
    case undefined:
      return text.length > 5 ? text : resolveWord(text);
    default:
      return text.charCodeAt(0) > 0x39 ? text : resolveNumber(text);
  }
}

function resolveWord(text: string): Scalar {
  if (NULL.test(text)) return null;
  return BOOLEAN.test(text) ? text[0] === "t" || text[0] === "T" : text;
}

function resolveNumber(text: string): Scalar {
  if (DECIMAL.test(text)) return Number.parseInt(text, 10);
  if (FLOAT.test(text)) return Number.parseFloat(text);
  if (PREFIXED.test(text)) return Number.parseInt(text.slice(2), text[1] === "o" ? 8 : 16);
  if (!NOT_FINITE.test(text)) return text;
  if (text.endsWith("n") || text.endsWith("N")) return Number.NaN;
  return text[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

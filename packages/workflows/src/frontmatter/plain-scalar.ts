// The YAML 1.2 core schema for unquoted scalars: `no` and `2024-01-01` stay strings, `012` is 12, `0o12` is 10.

const NULL = /^(?:~|[Nn]ull|NULL)?$/;
const BOOLEAN = /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/;
const DECIMAL = /^[-+]?[0-9]+$/;
const PREFIXED = /^0(?:o[0-7]+|x[0-9a-fA-F]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;

export type Scalar = string | number | boolean | null;

export function resolvePlainScalar(text: string): Scalar {
  if (!mayBeSpecial(text)) return text;
  if (NULL.test(text)) return null;
  if (BOOLEAN.test(text)) return text[0] === "t" || text[0] === "T";
  if (DECIMAL.test(text)) return Number.parseInt(text, 10);
  if (PREFIXED.test(text)) return Number.parseInt(text.slice(2), text[1] === "o" ? 8 : 16);
  if (FLOAT.test(text)) return Number.parseFloat(text);
  if (NOT_FINITE.test(text)) return notFinite(text);
  return text;
}

/** Nearly every scalar of a real file is a word or a sentence: one look at its first character settles that. */
function mayBeSpecial(text: string): boolean {
  switch (text.charCodeAt(0)) {
    case 0x74: // t
    case 0x54: // T
    case 0x66: // f
    case 0x46: // F
    case 0x6e: // n
    case 0x4e: // N
      return text.length <= 5;
    default:
      return !(text.charCodeAt(0) > 0x39) || text === "~";
  }
}

function notFinite(text: string): number {
  if (text.endsWith("n") || text.endsWith("N")) return Number.NaN;
  return text[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

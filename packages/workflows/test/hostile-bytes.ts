// Malformed files. Half of them are nearly right, so they get far into the readers.

export interface Random {
  /** From 0 to below `limit`. */
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** The same numbers for the same seed on every machine (xorshift32). */
export function seeded(seed: number): Random {
  let state = Math.imul(seed, 2_654_435_761) || 1;
  const below = (limit: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
  return { below, pick: (items) => items[below(items.length)] as (typeof items)[number] };
}

const samples = [
  "---\nname: review\ndescription: Reviews code\ntools: Read, Grep\nmodel: sonnet\n---\nYou review $ARGUMENTS.\n",
  '---\ndescription: "Commits: all"\nallowed-tools: ["Bash(git:*)", Edit]\nargument-hint: [message] | --amend\n---\nCommit $1.\n',
  "---\nmode: subagent\npermission:\n  bash:\n    '*': deny\n    git *: allow\n  edit: ask\ntools:\n  write: false\n---\nBody\n",
  "---\nname: x\nmetadata:\n  version: '1.0'\naliases: [a, b]\narguments: [one, two]\nskills:\n  - commit\n---\n!`ls` @file\n",
  "---\r\nname: crlf\r\ntools: |\r\n  Read\r\n  Write\r\n---\r\nBody\r\n",
  "\ufeff---\nname: bom\n---\n",
  "---\na: &a [x]\nb: *a\n<<: *a\n? complex\n: key\n!!js/function x: y\n---\n",
  "---\n__proto__: { polluted: true }\nconstructor: { prototype: { isAdmin: true } }\n---\n",
  "---js\nmodule.exports = process.exit(1)\n---\n",
  '{ "agent": { "a": { "prompt": "x", "tools": { "bash": true }, "permission": { "edit": "deny" } } }, "command": { "c": { "template": "$1" } } }',
  '{ // comment\n "mode": { "build": { "model": "a/b", }, }, "agent": { "__proto__": { "polluted": 1 } } }',
  '{ "agent": { "constructor": { "prompt": "{env:HOME}" } }, "plugin": [] }',
  "export default { name: 'flow' };\n",
  "",
];
const tokens = [
  ..."-:#[]{}'\"|>&*!%@`,?~$()\\/\n\r\t \0",
  ..."\u0085 \u2028 \u202e \u200b \ufeff \ufffd \ue000 é 😀 \u{e0041}".split(" "),
  ..."---\n|...\n|\n---\n|<<: |__proto__|constructor|toString|null|true|.inf|0x1F|1e999|2026-01-01|!!binary |&a |*a ".split(
    "|",
  ),
  ..."tools|allowed-tools|permission|name|description|aliases|arguments|model|disallowedTools|argument-hint".split("|"),
  ...'Bash(|Bash(git:*)|mcp__a__b|- |: |": "|{{|}}|[[|]]'.split("|"),
  "[".repeat(300),
  "{a: ".repeat(200),
  `${"- ".repeat(300)}x`,
  `"${"\\u0000".repeat(50)}"`,
  "x".repeat(5_000),
  "a: b\n".repeat(300),
  '{"a":'.repeat(300),
];
const encoder = new TextEncoder();
const sampleBytes = samples.map((sample) => encoder.encode(sample));
const tokenBytes = tokens.map((token) => encoder.encode(token));

export function hostileBytes(random: Random): Uint8Array {
  if (random.below(20) === 0) return Uint8Array.from({ length: random.below(400) }, () => random.below(256));
  let bytes: Uint8Array = random.pick(sampleBytes);
  for (let change = random.below(6); change >= 0; change -= 1) bytes = changed(bytes, random);
  return bytes;
}

function changed(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random.below(bytes.length + 1);
  const end = Math.min(bytes.length, at + random.below(12));
  switch (random.below(8)) {
    case 0: // one bit
      return bytes.map((byte, index) => (index === at ? byte ^ (1 << random.below(7)) : byte));
    case 1: // the rest is missing
      return bytes.subarray(0, at);
    case 2: // a part is missing
      return joined(bytes.subarray(0, at), bytes.subarray(end));
    case 3: // a part stands there twice
      return joined(bytes.subarray(0, end), bytes.subarray(at));
    case 4: // a part of another file
      return joined(bytes.subarray(0, at), random.pick(sampleBytes).subarray(random.below(40)), bytes.subarray(end));
    case 5: // any byte
      return joined(bytes.subarray(0, at), Uint8Array.of(random.below(256)), bytes.subarray(at));
    default:
      return joined(bytes.subarray(0, at), random.pick(tokenBytes), bytes.subarray(end));
  }
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

import type { JsonPart } from "@atomic/durable-files/jsonc/part";

/** What a plugin can add to OpenCode, in the order in which people read it. */
export const registerKinds = [
  "agents",
  "commands",
  "skills",
  "tools",
  "mcp",
  "providers",
  "logins",
  "hooks",
  "settings",
] as const;

/** The names of what a plugin added when OpenCode loaded it for the first time; empty lists are missing. */
export type Registers = { readonly [Kind in (typeof registerKinds)[number]]?: readonly string[] };

export function readRegisters(part: JsonPart): Registers {
  part.refuseKeysBut(registerKinds);
  const lists = registerKinds.map(
    (kind) =>
      [
        kind,
        part
          .get(kind)
          .items()
          .map((item) => item.string()),
      ] as const,
  );
  return Object.fromEntries(lists.filter(([, names]) => names.length > 0));
}

/** What only the second has. */
export function addedRegisters(before: Registers, after: Registers): Registers {
  const lists = registerKinds.map((kind) => {
    const known = new Set(before[kind] ?? []);
    return [kind, (after[kind] ?? []).filter((name) => !known.has(name))] as const;
  });
  return Object.fromEntries(lists.filter(([, names]) => names.length > 0));
}

// OpenCode's answers and events change from version to version: nothing in them is taken for granted.

export type Loose = Readonly<Record<string, unknown>>;

export function object(value: unknown): Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Loose) : {};
}

export function list(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value.map(object) : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** 0 for whatever is no amount. */
export function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

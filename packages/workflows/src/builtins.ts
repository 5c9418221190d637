import type { EntityRegistry } from "./registry.ts";

/** placeholder */
export function registerBuiltins(_registry: EntityRegistry): void {}

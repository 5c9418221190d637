import { createSignal } from "solid-js";

/** A value on the screen: what reads it while it is drawn is drawn again when it changes. */
export interface ScreenState<Value> {
  get(): Value;
  set(value: Value): void;
}

export function screenState<Value>(first: Value): ScreenState<Value> {
  const [get, set] = createSignal<{ readonly value: Value }>({ value: first }, { equals: false });
  // Wrapped, because a signal calls a function that it is set to.
  return { get: () => get().value, set: (value) => set({ value }) };
}

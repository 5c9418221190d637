// What we use of the modules that OpenCode provides to terminal plugins. They are never installed.

declare module "@opentui/solid" {
  type Node = import("./terminal-api.ts").TerminalElement;
  export function createElement(tag: string): Node;
  export function createComponent<Props>(component: (props: Props) => Node, props: Props): Node;
  export function effect(run: () => void): void;
  export function insert(parent: Node, child: unknown): void;
  export function setProp(node: Node, name: string, value: unknown): void;
  export function useTerminalDimensions(): () => { readonly width: number; readonly height: number };
}

declare module "@opentui/core" {
  export class StyledText {
    constructor(chunks: readonly object[]);
  }
}

declare module "solid-js" {
  export function createSignal<Value>(
    value: Value,
    options?: { readonly equals?: false | ((before: Value, after: Value) => boolean) },
  ): [() => Value, (value: Value) => void];
  export function createMemo<Value>(read: () => Value): () => Value;
  export function createEffect(run: () => void): void;
  export function createRoot<Result>(run: (dispose: () => void) => Result): Result;
  export function onCleanup(run: () => void): void;
  export function untrack<Result>(run: () => Result): Result;
}

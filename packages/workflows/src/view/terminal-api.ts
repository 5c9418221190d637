// The part that we use of what OpenCode passes to a plugin of its terminal. Its own types need packages that only it has.

/** Something that OpenCode draws. */
export interface TerminalElement {
  readonly isDestroyed?: boolean;
  readonly focused?: boolean;
  focus?(): void;
  /** Of the last frame. */
  readonly width?: number;
  readonly height?: number;
  readonly parent?: TerminalElement | null;
  getChildren?(): readonly TerminalElement[];
  readonly plainText?: string;
  setText?(text: string): void;
  gotoBufferEnd?(): void;
  content?: object;
}

/** A colour of the theme; opaque to us. */
export type ThemeColor = object;

export interface ThemeColors {
  readonly text: ThemeColor;
  readonly textMuted: ThemeColor;
  readonly primary: ThemeColor;
  readonly selectedListItemText: ThemeColor;
  readonly success: ThemeColor;
  readonly warning: ThemeColor;
  readonly error: ThemeColor;
  readonly info: ThemeColor;
  readonly backgroundElement: ThemeColor;
}

interface Emitter {
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

/** What is typed into: OpenCode's prompt, or a field of a dialog. */
export interface Editor {
  readonly plainText: string;
  readonly editBuffer: Emitter;
  readonly isDestroyed?: boolean;
  /** `status`: what is typed is not a prompt: `SHELL`, `FILTER`, `ANSWER`. */
  readonly traits?: { readonly status?: string | undefined };
  /** What stands for something else: a paste, an attachment, an agent. Only in OpenCode's prompt. */
  readonly extmarks?: { getAll(): readonly unknown[]; clear(): void };
  /** The text with what was pasted in place of `[Pasted ~3 lines]`. Only in OpenCode's prompt, and not in every version. */
  getClipboardText?(text: string): string;
  setText(text: string): void;
  gotoBufferEnd(): void;
  clear(): void;
}

export interface KeyBinding {
  /** `ctrl+s`, `<leader>s`, `return,ctrl+s`, or a key stroke as an object. */
  readonly key: string | object;
  readonly desc?: string;
  /** A function, not the name of a command: OpenCode's server can run commands by their names, so an agent could. */
  readonly cmd: () => void;
}

export interface PaletteCommand {
  readonly name: string;
  readonly title: string;
  readonly category: string;
  readonly namespace: "palette";
  readonly slashName?: string;
  readonly desc?: string;
  run(): void;
}

interface KeyLayer {
  /** `base`: nothing is open above the page. `modal`: a dialog is. */
  readonly mode?: string;
  readonly priority?: number;
  readonly enabled?: () => boolean;
  readonly bindings?: readonly KeyBinding[];
  readonly commands?: readonly PaletteCommand[];
}

type SlotRender = (context: { readonly theme: { readonly current: ThemeColors } }, props: object) => unknown;

export interface Toast {
  readonly variant: "info" | "success" | "warning" | "error";
  readonly title: string;
  readonly message: string;
  readonly duration?: number;
}

/** What a request to OpenCode's server returns: it does not throw. */
interface Answered<Value> {
  readonly data?: Value;
  readonly error?: unknown;
  readonly response?: { readonly status: number };
}

export interface TerminalApi {
  readonly app: { readonly version: string };
  readonly attention: {
    notify(input: {
      readonly title: string;
      readonly message: string;
      readonly sound?: { readonly name: "question" | "permission" };
    }): Promise<unknown>;
  };
  readonly keymap: {
    registerLayer(layer: KeyLayer): () => void;
    getCommandEntries(query: { readonly namespace: "palette" }): readonly {
      readonly command: Pick<PaletteCommand, "name" | "slashName"> & {
        readonly slashAliases?: readonly string[];
        readonly hidden?: boolean;
      };
    }[];
    /** After every change of what can be done where: pages, plugins, the focus. */
    on(event: "state", listener: () => void): () => void;
  };
  /** From the user's tui.json. */
  readonly tuiConfig?: {
    readonly keybinds?: { get?(command: string): readonly { readonly key: KeyBinding["key"] }[] };
  };
  readonly mode: { current(): string; push(mode: string): () => void };
  readonly route: {
    register(routes: readonly { readonly name: string; readonly render: () => unknown }[]): () => void;
    navigate(name: string, params?: Readonly<Record<string, unknown>>): void;
    readonly current: { readonly name: string; readonly params?: { readonly sessionID?: unknown } };
  };
  readonly ui: {
    toast(toast: Toast): void;
    readonly dialog: {
      replace(render: () => unknown, onClose?: () => void): void;
      clear(): void;
      setSize(size: "medium" | "large" | "xlarge"): void;
      readonly open: boolean;
    };
  };
  readonly state: {
    readonly ready: boolean;
    readonly path: { readonly directory: string; readonly worktree: string };
    readonly session: {
      get(id: string): { readonly parentID?: string } | undefined;
      /** What OpenCode asks in this session and is not answered yet. */
      permission(id: string): readonly unknown[];
      question(id: string): readonly unknown[];
    };
  };
  readonly theme: { readonly current: ThemeColors };
  readonly event: {
    on(
      type: "session.deleted",
      handler: (event: { readonly properties: { readonly info?: { readonly id?: string } } }) => void,
    ): () => void;
    /** Its server reads all files anew. */
    on(type: "server.instance.disposed", handler: () => void): () => void;
  };
  readonly client: {
    /** Its commands, skills and MCP prompts: what it does at a slash and a name, on all pages. */
    readonly command: { list(): Promise<Answered<readonly { readonly name: string }[]>> };
    readonly session: {
      get(input: { readonly sessionID: string }): Promise<Answered<object>>;
      command(input: {
        readonly sessionID: string;
        readonly command: string;
        readonly arguments: string;
      }): Promise<Answered<object>>;
    };
  };
  readonly renderer: Emitter & {
    readonly currentFocusedEditor: Editor | null;
    /** `keypress`: of every key, whatever it does. */
    readonly keyInput: Emitter & { prependListener(event: string, listener: () => void): unknown };
    readonly width: number;
    readonly height: number;
  };
  readonly slots: {
    register(plugin: { readonly order: number; readonly slots: Readonly<Record<string, SlotRender>> }): unknown;
  };
  readonly lifecycle: { onDispose(run: () => void | Promise<void>): unknown };
}

/** The default export of a package's `./tui`. */
export interface TerminalPlugin {
  readonly id: string;
  readonly tui: (api: TerminalApi, options: unknown) => Promise<void>;
}

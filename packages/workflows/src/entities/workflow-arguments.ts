// A workflow's arguments. One declaration gives the flags, hints, help and the input's type.

/** One argument. Its key is also the input's key: you type `maxIterations` as `--max-iterations 5`. */
export type ArgumentJson = TextArgument | NumberArgument | SwitchArgument | RestArgument;

// Not interfaces: a graph is JSON, and an interface is not assignable to JSON.
type Argument = { readonly description?: string };

type ArgumentWithValue = Argument & {
  /** The value's name in hints: `prompt` gives `--yolo <prompt>`. Default: depends on its type. */
  readonly value?: string;
  readonly required?: boolean;
};

type TextArgument = ArgumentWithValue & { readonly type: "string"; readonly default?: string };

/** `min` and `max` are included; `whole` allows only whole numbers. */
type NumberArgument = ArgumentWithValue & {
  readonly type: "number";
  readonly default?: number;
  readonly min?: number;
  readonly max?: number;
  readonly whole?: boolean;
};

/** Given or not. */
type SwitchArgument = Argument & { readonly type: "boolean" };

/** All words that belong to no flag, as one text. A workflow has at most one such argument. */
export type RestArgument = ArgumentWithValue & { readonly type: "rest"; readonly default?: string };

export type ArgumentsJson = { readonly [key: string]: ArgumentJson };

/** What you type for a key: `maxIterations` is `--max-iterations`. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`;
}

/**
 * What to show after a workflow's name while arguments are missing: `[topic] | --yolo <prompt>`, or `--file <path> [topic]` if
 * the file is required. Undefined if it takes none.
 */
export function hintOfArguments(declared: ArgumentsJson): string | undefined {
  const entries = Object.entries(declared);
  if (entries.length === 0) return undefined;
  const rest = entries.flatMap(([key, each]) => {
    if (each.type !== "rest") return [];
    const { value = key, required = false } = each;
    return [required ? `<${value}>` : `[${value}]`];
  });
  const isRequired = (each: ArgumentJson): boolean => "required" in each && each.required === true;
  const flags = (required: boolean): string[] =>
    entries.flatMap(([key, each]) =>
      each.type === "rest" || isRequired(each) !== required ? [] : [flagHint(key, each)],
    );
  const optional = flags(false);
  const required = flags(true);
  if (required.length === 0 && entries.length > 1) return [...rest, ...optional].join(" | ");
  return [...required, ...rest, ...optional.map((flag) => `[${flag}]`)].join(" ");
}

/** `--max-iterations <n>`. */
export function flagHint(key: string, argument: Exclude<ArgumentJson, RestArgument>): string {
  if (argument.type === "boolean") return flagOf(key);
  return `${flagOf(key)} <${argument.value ?? (argument.type === "number" ? "n" : "text")}>`;
}

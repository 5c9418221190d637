// How arguments and options are written on a command line; names in camel case become flags with dashes.
import type { ArgumentSpec, Operation, OptionSpec, OptionSpecs } from "../operation.ts";

/** May stand before the command as well as behind it. */
export const everywhere: OptionSpecs = {
  global: { kind: "flag", short: "g", summary: "Work on ~/.config/opencode instead of this project" },
  json: { kind: "flag", summary: "Print one JSON document instead of text" },
  help: { kind: "flag", short: "h", summary: "Show this help" },
};

export const withoutCommand: OptionSpecs = {
  version: { kind: "flag", short: "v", summary: "Show the version" },
};

export const ofChanges: OptionSpecs = {
  dryRun: { kind: "flag", summary: "Say what would happen, and change nothing" },
  yes: { kind: "flag", short: "y", summary: "Agree to everything that would be asked" },
};

/** All that an operation understands, in the order of its help. */
export function optionsOf({ options, mutates }: Pick<Operation, "options" | "mutates">): OptionSpecs {
  return { ...options, ...(mutates && ofChanges), ...everywhere };
}

/** `--dry-run` for `dryRun`. */
export function longFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `-g, --global` or `--registry <url>`, as the help shows it. */
export function flagTerm([name, spec]: readonly [string, OptionSpec]): string {
  if (spec.kind !== "flag") return `${longFlag(name)} <${spec.value}>`;
  return spec.short === undefined ? longFlag(name) : `-${spec.short}, ${longFlag(name)}`;
}

/** `<spec>`, `[name]` or `[name…]`. */
export function argumentTerm([name, { count }]: readonly [string, ArgumentSpec]): string {
  if (count === "one") return `<${name}>`;
  return count === "many" ? `[${name}…]` : `[${name}]`;
}

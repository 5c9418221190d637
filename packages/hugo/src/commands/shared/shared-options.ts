import type { FlagSpec } from "@atomic/terminal/command";

/** Options that operations share, by name. */
export const sharedOptions: {
  readonly everywhere: { readonly global: FlagSpec };
  readonly ofChanges: { readonly dryRun: FlagSpec; readonly yes: FlagSpec };
} = {
  everywhere: {
    global: { kind: "flag", short: "g", summary: "Work on ~/.config/opencode instead of this project" },
  },
  ofChanges: {
    dryRun: { kind: "flag", summary: "Show what would happen without changing anything" },
    yes: { kind: "flag", short: "y", summary: "Answer yes to every question" },
  },
};

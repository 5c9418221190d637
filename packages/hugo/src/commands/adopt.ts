import { formatNotFound } from "@atomic/terminal/suggest";
import { HugoError } from "../errors.ts";
import { install } from "./install.ts";
import { type HugoCommand, yesToReports } from "./shared/hugo-command.ts";
import { type InstallResult, installPackages, type WantedPackage } from "./shared/install-packages.ts";
import { findUnmanaged, readUnmanaged, type UnmanagedEntry } from "./shared/unmanaged.ts";

const args = {
  plugin: { count: "many", summary: "Names as `hugo list` shows them (default: every unmanaged plugin)" },
} as const;

const options = {
  allowNew: { kind: "flag", summary: "Accept recently published versions" },
  details: { kind: "flag", summary: "List every capability instead of a summary" },
  yes: yesToReports as typeof yesToReports,
} as const;

export const adopt: HugoCommand<typeof args, typeof options, InstallResult> = {
  name: "adopt",
  summary: "Manage plugins that you added to a config yourself",
  details:
    "Hugo shows what a plugin can do, records the version that OpenCode uses, and pins it. The entry keeps its file, its position and its options.",
  arguments: args,
  options,
  examples: [
    { command: "hugo adopt", shows: "every plugin in this project's configs that Hugo does not manage yet" },
    { command: "hugo adopt opencode-pty", shows: "one of them" },
    { command: "hugo adopt --dry-run", shows: "which versions would be recorded" },
  ],
  mutates: true,
  run: async (context, input) => {
    if (!input.dryRun) context.user.refuseAgent?.("hugo adopt");
    const usual = { force: false, replace: false, as: undefined, prefix: undefined, select: undefined };
    // Of plugins that were not named, one that fails does not keep the others.
    const how = { ...input, ...usual, isolated: input.plugin.length === 0 };
    return await installPackages(context, how, "adopt", async (workspace) => {
      return chooseFrom(readUnmanaged(workspace, context), input.plugin).flatMap(({ adoption }): WantedPackage[] => {
        if ("problem" in adoption) return [];
        const { cached: version, ...wanted } = adoption;
        // The version that OpenCode uses already is not a new one.
        return [{ ...wanted, ...(version !== undefined && { exactly: { version } }) }];
      });
    });
  },
  report: install.report,
};

/** The named ones, or all that can be adopted. */
function chooseFrom(found: readonly UnmanagedEntry[], names: readonly string[]): UnmanagedEntry[] {
  const chosen =
    names.length === 0
      ? found.filter(({ adoption }) => !("problem" in adoption))
      : names.map((name) => {
          const one = findUnmanaged(found, name);
          if (one !== undefined) return one;
          throw new HugoError("not-installed", {
            message: formatNotFound(
              "Unmanaged plugin",
              name,
              found.map((each) => each.name),
            ),
            hint: "`hugo list` shows the plugins that Hugo does not manage. Nothing was changed.",
          });
        });
  const [first] = chosen.filter(({ adoption }) => "problem" in adoption);
  if (first !== undefined && "problem" in first.adoption) {
    throw new HugoError("no-workflow", {
      message: `${first.name} cannot be managed: ${first.adoption.problem}`,
      hint: "Its entry stays as it is. Nothing was changed.",
    });
  }
  if (chosen.length > 0) return [...new Set(chosen)];
  const left = found.map(({ name }) => name).join(", ");
  throw new HugoError("not-installed", {
    message: found.length === 0 ? "Hugo manages every plugin here" : `None of these can be managed: ${left}`,
    hint: "`hugo list` shows what is installed. Nothing was changed.",
  });
}

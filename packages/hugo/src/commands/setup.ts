import { accessSync, constants, lstatSync, realpathSync, statSync, symlinkSync, unlinkSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { lookOr } from "@atomic/workflows/internal/entities/system-error";
import { HugoError } from "../errors.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";

interface SetupResult {
  readonly dryRun: boolean;
  readonly did: "added" | "removed" | "nothing";
  readonly command: string;
}

const options = { remove: { kind: "flag", summary: "Remove the short command" } } as const;

/**
 * The site generator Hugo has a command of the same name, and npm refuses to install a package whose command exists
 * already. So the package declares `hugo-pm` only, and this adds `hugo` where it is free.
 */
export const setup: HugoCommand<Record<never, never>, typeof options, SetupResult> = {
  name: "setup",
  summary: "Add the short command `hugo` if the name is free",
  details: "In a project, `atomic setup` does this, too, and offers everything else.",
  arguments: {},
  options,
  examples: [
    { command: "hugo-pm setup", shows: "where `hugo` was added; after that, you can type either name" },
    { command: "hugo-pm setup --remove", shows: "leaves only `hugo-pm`" },
  ],
  mutates: true,
  without: ["global"],
  async run({ env }, { remove, dryRun }) {
    // Shells pass over what they may not read.
    const isFile = (file: string): boolean => lookOr(false, () => statSync(file).isFile());
    // npx and npm scripts put their own folders on the PATH, which are gone afterwards.
    const folders = (env.PATH ?? "")
      .split(delimiter)
      .filter((folder) => isAbsolute(folder) && !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder));
    const installed = folders.map((folder) => join(folder, "hugo-pm")).find(isFile);
    if (installed === undefined) {
      throw new HugoError("program-failed", {
        message: "hugo-pm is not installed globally, so Hugo cannot tell where to add `hugo`",
        hint: "Install it with `npm install -g hugo-pm`, then run `hugo-pm setup`.",
      });
    }
    const command = join(dirname(installed), "hugo");
    const isOurs = (file: string): boolean => isFile(file) && realpathSync(file) === realpathSync(installed);
    if (remove) {
      const isLink = lstatSync(command, { throwIfNoEntry: false })?.isSymbolicLink() === true && isOurs(command);
      if (isLink) inFolder(command, () => (dryRun ? mayWrite(command) : unlinkSync(command)));
      return { dryRun, did: isLink ? "removed" : "nothing", command };
    }
    const taken = folders.map((folder) => join(folder, "hugo")).find(isFile);
    if (taken !== undefined && isOurs(taken)) return { dryRun, did: "nothing", command: taken };
    if (taken !== undefined || lstatSync(command, { throwIfNoEntry: false }) !== undefined) {
      throw new HugoError("name-taken", {
        message: safe`another program is already named hugo: ${taken ?? command}`,
        hint: "Type `hugo-pm` instead of `hugo`; everything else is the same.",
      });
    }
    inFolder(command, () => (dryRun ? mayWrite(command) : symlinkSync("hugo-pm", command)));
    return { dryRun, did: "added", command };
  },
  report: {
    text: ({ did, command, dryRun }, page) => {
      const verb = did === "added" ? "add" : "remove";
      const done = dryRun ? safe`Would ${verb} ${command}` : safe`${verb === "add" ? "Added" : "Removed"} ${command}`;
      return paragraph(did === "nothing" ? "Nothing to do." : done, page, { indent: "" });
    },
    notes: () => "",
    json: ({ did, command, dryRun }) => ({ dryRun, did, command }),
    exitCode: () => 0,
  },
};

/** A dry run fails where the real one would. */
function mayWrite(command: string): void {
  accessSync(dirname(command), constants.W_OK);
}

function inFolder(command: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EACCES" && code !== "EPERM" && code !== "EROFS") throw error;
    throw new HugoError("disk-refused", {
      message: safe`you may not change ${dirname(command)} (${code})`,
      hint: "Run it as the user who installed hugo-pm, or type `hugo-pm` instead of `hugo`.",
      cause: error,
    });
  }
}

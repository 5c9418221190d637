import type { Context } from "../context.ts";
import { Decisions } from "../delivery/view.ts";
import { HugoError } from "../errors.ts";
import { versionLabel } from "../packages/version-label.ts";
import { change, type Decide, rehearse } from "../workspace/change.ts";
import { isAboutPackageFiles } from "../workspace/error-in-folder.ts";
import { type ChangeSummary, folderLabel } from "../workspace/mutate.ts";
import { placeFor } from "../workspace/place.ts";
import { type Request, requestOf } from "../workspace/request.ts";
import type { Whereabouts } from "./report/file-outcomes.ts";
import { installReport } from "./report/install.ts";
import { type Installed, installOne } from "./shared/install-one.ts";
import type { InputOf, Operation } from "./shared/operation.ts";
import { typedFolder } from "./shared/typed-path.ts";

const args = {
  spec: { count: "some", summary: "npm name, name@range, github:org/repo#tag, git+https://…, ./folder or ./file.tgz" },
} as const;

const options = {
  force: { kind: "flag", summary: "Install again: restores deleted files, keeps local edits" },
  allowNew: { kind: "flag", summary: "Accept a version that was published only a short while ago" },
  select: {
    kind: "text",
    value: "names",
    summary: "Copy only these parts of a package that is not a plugin: agents/reviewer,commands/review",
  },
} as const;

export interface InstallResult extends ChangeSummary, Whereabouts {
  readonly workflows: readonly Installed[];
  /** Nobody was shown what the packages can do before. */
  readonly isUnseen: boolean;
}

export const install: Operation<typeof args, typeof options, InstallResult> = {
  name: "install",
  aliases: ["i"],
  summary: "Install workflows, after showing what they can do",
  details: "They are enabled right away, and hugo.json records exactly what was installed.",
  arguments: args,
  options,
  examples: [
    { command: "hugo install @some-org/code-review", shows: "the newest version from the npm registry" },
    { command: "hugo i @some-org/code-review@^2.0.0", shows: "the newest 2.x; updates stay in the range" },
    { command: "hugo i github:org/code-review#v1.0.0", shows: "a tag in a repository" },
    { command: "hugo i ./code-review --dry-run", shows: "what a folder on this machine would do" },
  ],
  mutates: true,
  run,
  report: installReport,
};

async function run(context: Context, input: InputOf<typeof args, typeof options>): Promise<InstallResult> {
  const { global, dryRun } = input;
  // Also what nobody would be asked about: another version of a file that is there is a decision, too.
  if (!dryRun) context.person.refuseAgent?.("hugo install");
  const place = placeFor(context, { global });
  const requests = input.spec.map((spec) => requestOf(spec, context, place));
  const installAll: Decide<InstallResult> = async (workspace) => {
    const decisions = new Decisions(workspace);
    const workflows: Installed[] = [];
    const notices: string[] = [];
    for (const request of requests) {
      const scene = { context, input, workspace, view: decisions.view };
      const outcome = await installOne(scene, request).catch((error) => {
        throw requests.length === 1 ? error : named(error, request);
      });
      decisions.add(outcome.decision);
      workflows.push(outcome.installed);
      notices.push(...outcome.notices);
    }
    const title = `install ${workflows.map(({ name, version }) => `${name} ${versionLabel(version)}`).join(", ")}`;
    const about = {
      dryRun,
      folder: folderLabel(place),
      typedFolder: typedFolder(context, place),
      notices: [...workspace.notices, ...notices],
    };
    return { draft: decisions.draft(title), result: { workflows, isUnseen: input.yes || dryRun, ...about } };
  };
  return await (dryRun
    ? rehearse(place, installAll)
    : change(place, "hugo install", installAll, { signal: context.signal }));
}

/** Of several packages, an error in the files of one has to say whose they are. */
function named(error: unknown, { source: from, recorded }: Request): unknown {
  const source = from.kind === "registry" ? from.name : recorded;
  const isFolder = from.kind === "file" && from.form === "folder";
  if (isFolder && isAboutPackageFiles(error)) return error;
  // Subclasses carry more than can be copied here, and their messages name the package.
  if (!(error instanceof HugoError) || error.constructor !== HugoError || error.message.includes(source)) return error;
  const { code, message, at, hint, parts } = error;
  return new HugoError(code, {
    message: `${source}: ${message}`,
    ...(at !== undefined && { at }),
    hint,
    parts: parts.map((part) => ({ ...part, at: `${source}/${part.at}` })),
    cause: error,
  });
}

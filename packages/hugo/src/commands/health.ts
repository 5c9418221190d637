import { transaction } from "@atomic/durable-files/transaction/transaction";
import { count } from "@atomic/terminal/count";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { shellWord } from "@atomic/terminal/shell-words";
import { displayWidth, padEnd } from "@atomic/terminal/width";
import { paragraph } from "@atomic/terminal/wrap";
import { configFiles } from "../opencode/config-files.ts";
import { ignoredName } from "../opencode/loaded-from.ts";
import { type OpencodeAnswers, type OpencodeQuery, queryOpencode } from "../opencode/query-opencode.ts";
import { hashOf } from "../packages/hash.ts";
import { versionLabel } from "../packages/labels.ts";
import { existingClaims } from "../trust/existing-claims.ts";
import { type CheckStatus, checkStatus } from "../workspace/check-file.ts";
import { withExplainedErrors } from "../workspace/explained-errors.ts";
import { inScope, placeFor, type WorkspacePlace } from "../workspace/place.ts";
import { boundaryOf } from "../workspace/safe-place.ts";
import { SeenFiles } from "../workspace/seen-files.ts";
import { readSnapshot } from "../workspace/snapshot.ts";
import { withState } from "../workspace/with-state.ts";
import { checkWorkflow } from "./health/check-workflow.ts";
import { isHealthy, type WorkflowHealth } from "./health/finding.ts";
import { widerThanProject } from "./health/integrity.ts";
import { findWorkflows } from "./shared/find-workflows.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";
import { blockedError, differentCheckFile } from "./shared/notes.ts";
import { formatPairs } from "./shared/pairs.ts";
import { readUnmanaged, type UnmanagedEntry } from "./shared/unmanaged.ts";

const args = { name: { count: "maybe", summary: "One workflow (default: all enabled workflows)" } } as const;

const options = {
  all: { kind: "flag", summary: "Include disabled workflows" },
  static: { kind: "flag", summary: "Do not start OpenCode (which runs this project's plugins)" },
} as const;

export interface Health {
  /** `not-asked` if nothing relevant is enabled, or with `--static`. */
  readonly opencode: Exclude<OpencodeQuery, { kind: "asked" }> | { readonly kind: "asked" | "not-asked" };
  readonly workflows: readonly WorkflowHealth[];
  /** Errors in plugin hooks; OpenCode does not say whose. */
  readonly failedHooks: readonly string[];
  readonly checkFile?: CheckStatus | undefined;
  readonly notices: readonly string[];
}

export const health: HugoCommand<typeof args, typeof options, Health> = {
  name: "health",
  summary: "Check that OpenCode actually loads what is installed",
  arguments: args,
  options,
  examples: [
    {
      command: "hugo health",
      shows: "which workflows are loaded, their versions, and what each shared name resolves to",
    },
    { command: "hugo health review", shows: "one workflow, even if it is disabled" },
    { command: "hugo health --all --json", shows: "everything, as JSON" },
  ],
  mutates: false,
  run: async (context, input) => {
    const place = placeFor(context, input);
    const snapshot = await readSnapshot(place);
    const { workflows: locked } = snapshot.lock;
    const names =
      input.name !== undefined
        ? findWorkflows(snapshot.lock, [input.name])
        : [...locked.keys()].sort().filter((name) => input.all || snapshot.isEnabled(name));
    const enabled = names.filter((name) => snapshot.isEnabled(name));
    const unmanaged = input.name === undefined ? readUnmanaged(snapshot, context) : [];
    const isNeeded = !input.static && (enabled.length > 0 || unmanaged.length > 0);
    const withSkills = enabled.some((name) => locked.get(name)?.skills.length !== 0);
    const cwd = place.scope === "global" ? place.root : context.cwd;
    const answer = isNeeded
      ? await keepingConfigs(place, () => queryOpencode(context, { cwd, withSkills }))
      : ({ kind: "not-asked" } as const);
    const answers = answer.kind === "asked" ? answer.answers : undefined;
    const examination = { context, snapshot, claims: existingClaims(snapshot), answers };
    const workflows: WorkflowHealth[] = [];
    for (const name of names) workflows.push(await checkWorkflow(examination, name));
    return {
      opencode: answer.kind === "asked" ? { kind: "asked" } : answer,
      workflows,
      failedHooks: answers?.failedHooks ?? [],
      checkFile: checkStatus(snapshot),
      notices: [
        ...snapshot.notices,
        ...differentCheckFile(checkStatus(snapshot)),
        ...(await widerThanProject(context, snapshot)),
        ...unmanaged.map((each) => inScope(place, aboutUnmanaged(each, answers))),
      ],
    };
  },
  report: {
    text: ({ workflows }, page) => {
      if (workflows.length === 0) return "No workflow is enabled here.\n";
      const widths = workflows.map((workflow) => displayWidth(title(workflow)));
      const width = Math.max(0, ...widths.filter((each) => each <= widest));
      return workflows
        .map((workflow) => {
          const [colour, text] = stateWords(workflow);
          const fits = page.columns === undefined || width + 2 + displayWidth(text) <= page.columns;
          const subject = padEnd(title(workflow), fits ? width : 0);
          return [
            formatPairs([{ lead: "", subject, text, colour }], page),
            ...workflow.findings.map(({ severity, message, hint }) => {
              const paint = painter(page.colour);
              const marks = { problem: paint("red", "✗"), warning: paint("yellow", "!"), note: paint("dim", "·") };
              return [
                paragraph(safeLine(message), page, { lead: `  ${marks[severity]} `, indent: "    " }),
                paragraph(safeLine(hint), page, { lead: "    ", indent: "    " }),
              ].join("");
            }),
          ].join("");
        })
        .join("");
    },
    notes: ({ opencode, workflows, failedHooks, notices }, page) => {
      const ill = workflows.filter((workflow) => isHealthy(workflow) === false).length;
      const lines = [
        ...notices,
        ...failedHooks.map(
          (message) => `A plugin's config hook failed, but OpenCode does not say which plugin: ${message}`,
        ),
        ...interviewLines(opencode),
        ...(ill === 0 ? [] : [`${count(ill, "workflow needs", "workflows need")} attention.`]),
      ];
      return lines.map((line) => paragraph(safeLine(line), page, { indent: "  " })).join("");
    },
    json: ({ opencode, workflows, failedHooks, checkFile, notices }) => ({
      opencode: opencode.kind === "silent" ? { state: "silent", because: opencode.because } : { state: opencode.kind },
      workflows: workflows.map((workflow) => ({ ...workflow, healthy: isHealthy(workflow) ?? null })),
      failedHooks,
      checkFile,
      notices,
    }),
    // An OpenCode that does not start is a problem, too; without OpenCode, half of the question has no answer.
    exitCode: ({ opencode, workflows, failedHooks, checkFile }) => {
      const isIll = checkFile?.state === "blocked" || workflows.some((workflow) => isHealthy(workflow) === false);
      if (opencode.kind === "silent" || failedHooks.length > 0 || isIll) return 1;
      return opencode.kind === "absent" ? 6 : 0;
    },
    error: ({ opencode, workflows, failedHooks, checkFile }) => {
      const ill = workflows.filter((workflow) => isHealthy(workflow) === false);
      const [first] = ill;
      if (first !== undefined) {
        const names = ill.map(({ workflow }) => workflow).join(", ");
        const finding = first.findings.find(({ severity }) => severity === "problem");
        return {
          code: "unhealthy",
          message: `${count(ill.length, "workflow needs", "workflows need")} attention: ${names}`,
          hint: finding === undefined ? undefined : `${first.workflow}: ${finding.message}. ${finding.hint}`,
        };
      }
      const [hook] = failedHooks;
      if (hook !== undefined) return { code: "hook-failed", message: `A plugin's config hook failed: ${hook}` };
      if (opencode.kind === "silent") return { code: "opencode-silent", message: interviewLines(opencode).join(" ") };
      if (checkFile?.state === "blocked") return blockedError(checkFile);
      return { code: "opencode-missing", message: NO_OPENCODE, hint: INSTALL_OPENCODE };
    },
  },
};

/** What is known about a plugin that Hugo did not install. */
function aboutUnmanaged({ name, entries, version, adoption }: UnmanagedEntry, answers?: OpencodeAnswers): string {
  const files = [...new Set(entries.map(({ file }) => file))].join(" and ");
  const last = entries.at(-1)?.spec ?? name;
  const [failure] = [...(answers?.failed ?? [])].filter(
    ([path]) => path === last || path.endsWith(last.replace(/^\.*/, "")),
  );
  const ignored = ignoredName(last);
  const state =
    failure !== undefined
      ? `OpenCode does not load it: ${failure[1]}`
      : ignored !== undefined
        ? `OpenCode ignores ${ignored}, because it has that built in`
        : "problem" in adoption
          ? adoption.problem
          : version === undefined
            ? "OpenCode has not fetched it yet"
            : adoption.request.source.kind === "registry" && adoption.request.source.wanted.kind !== "version"
              ? `OpenCode keeps ${versionLabel(version)}, which it fetched first, because the entry has no exact version`
              : `it is ${versionLabel(version)}, but OpenCode's copy has not been compared with the registry`;
  const next = "problem" in adoption ? "" : ` \`hugo adopt ${shellWord(name)}\` lets Hugo check, pin and update it.`;
  return `${name} in ${files} is not managed by Hugo: ${state}.${next}`;
}

/** A longer name shifts only its own state, not all others. */
const widest = 40;

function title({ workflow, version }: WorkflowHealth): string {
  return safe`${workflow} ${versionLabel(version)}`;
}

function stateWords(workflow: WorkflowHealth): [Colour, string] {
  const { state, findings, version } = workflow;
  switch (state.kind) {
    case "loaded": {
      const isElsewhere = findings.some(({ code, severity }) => code === "drift" && severity === "problem");
      return [
        isHealthy(workflow) ? "green" : "red",
        state.version === undefined || state.version === version || version.length === 40
          ? isElsewhere
            ? "loaded from another place"
            : "loaded"
          : safeLine(`loaded ${state.version}`),
      ];
    }
    case "not-loaded":
      return ["red", safeLine(`not loaded: ${state.because}`)];
    case "disabled":
      return ["dim", "disabled"];
    case "unknown":
      return findings.length === 0
        ? ["dim", "its files are intact; not checked in OpenCode"]
        : ["yellow", "not checked in OpenCode"];
  }
}

const NO_OPENCODE = "OpenCode is not on the PATH, so Hugo cannot check what it loads.";

const INSTALL_OPENCODE =
  "Set HUGO_OPENCODE to its path, or check only the files with `hugo health --static`. To install it: `npm install -g opencode-ai`.";

function interviewLines(opencode: Health["opencode"]): string[] {
  switch (opencode.kind) {
    case "absent":
      return [NO_OPENCODE, INSTALL_OPENCODE];
    case "silent":
      return [`OpenCode did not respond, so Hugo cannot check what it loads: ${opencode.because}`];
    default:
      return [];
  }
}

/** OpenCode 1.18 writes this into every config without a $schema at each start. No setting prevents it. */
const SCHEMA = '{\n  "$schema": "https://opencode.ai/config.json",';

/** Read-only commands change nothing: afterwards the config files are what they were, byte for byte. */
export async function keepingConfigs<T>(place: WorkspacePlace, look: () => Promise<T>): Promise<T> {
  const files = configFiles(place.configs);
  const before = new SeenFiles();
  for (const { path } of files) before.file(path);
  try {
    return await look();
  } finally {
    await withExplainedErrors(async () => {
      const changes = before.changed().flatMap((path) => {
        const bytes = before.file(path)?.bytes;
        if (bytes === undefined) return [];
        // A file that others changed meanwhile does not match, and stays.
        const expect = hashOf(Buffer.from(bytes.toString("utf8").replace(/^\s*\{/, SCHEMA)));
        const isOpencodes = new SeenFiles().file(path)?.hash === expect;
        return isOpencodes ? [{ path, content: bytes, expect }] : [];
      });
      if (changes.length === 0) return;
      const isProjects = ({ path }: { readonly path: string }): boolean =>
        files.some((file) => file.path === path && file.scope === "project");
      await withState(place, { purpose: "hugo health" }, async ({ held }) => {
        const [inside, yours] = [changes.filter(isProjects), changes.filter((change) => !isProjects(change))];
        await transaction(place.stateFolder, inside, { lock: held, within: boundaryOf(place) });
        await transaction(place.stateFolder, yours, { lock: held });
      });
    });
  }
}

// A project, a registry and a user who answers: what the install tests need.
import { join } from "node:path";
import type { PackageToPublish } from "@atomic/testing/npm-registry";
import type { Project } from "@atomic/testing/project";
import { ci } from "../../src/commands/ci.ts";
import { info } from "../../src/commands/info.ts";
import { install } from "../../src/commands/install.ts";
import { update } from "../../src/commands/update.ts";
import type { Approval, Context, User } from "../../src/context.ts";
import { HugoError } from "../../src/errors.ts";
import { pinOf } from "../../src/workspace/pin.ts";
import { placeFor } from "../../src/workspace/place.ts";
import { readSnapshot } from "../../src/workspace/snapshot.ts";

type Answer = "approved" | "declined" | "nobody";

export interface Hugo {
  /** What the user was asked, in order. */
  readonly asked: readonly Approval[];
  /** Which reports were shown because the user could not be asked. */
  readonly shown: readonly Approval[];
  answer: Answer;
  install(
    spec: string | readonly string[],
    more?: Partial<Parameters<typeof install.run>[1]>,
  ): ReturnType<typeof install.run>;
  update(names?: readonly string[], more?: Partial<Parameters<typeof update.run>[1]>): ReturnType<typeof update.run>;
  info(spec: string, more?: Partial<Parameters<typeof info.run>[1]>): ReturnType<typeof info.run>;
  ci(more?: Partial<Parameters<typeof ci.run>[1]>): ReturnType<typeof ci.run>;
  readonly context: Context;
}

const common = { global: false, dryRun: false, yes: false } as const;

/** Hugo in a project, with a user who approves everything unless a test says otherwise. */
export function hugoIn(
  { dir, home, env }: Pick<Project, "dir" | "home" | "env">,
  cwd = dir,
  more: Partial<User> = {},
): Hugo {
  const asked: Approval[] = [];
  const shown: Approval[] = [];
  const user: User = {
    approve: async (request) => {
      asked.push(request);
      return hugo.answer;
    },
    show: async (request) => void shown.push(request),
    progress: () => undefined,
  };
  const context: Context = { cwd, home, env, user: { ...user, ...more } };
  const hugo: Hugo = {
    asked,
    shown,
    answer: "approved",
    context,
    install: (spec, more = {}) => {
      const specs = typeof spec === "string" ? [spec] : spec;
      return install.run(context, {
        ...common,
        spec: specs,
        force: false,
        allowNew: false,
        as: undefined,
        replace: false,
        prefix: undefined,
        select: undefined,
        details: false,
        ...more,
      });
    },
    update: (name = [], more = {}) =>
      update.run(context, {
        ...common,
        name,
        skipModified: false,
        allowNew: false,
        details: false,
        exitCode: false,
        ...more,
      }),
    info: (spec, more = {}) =>
      info.run(context, { ...common, spec, allowNew: false, details: false, select: undefined, ...more }),
    ci: (more = {}) => ci.run(context, { ...common, strict: false, ...more }),
  };
  return hugo;
}

/** How a config file names the installed version: a path into the store, which the content decides. */
export async function pinIn({ dir, home, env }: Project, name = "review", file = "opencode.json"): Promise<string> {
  const { lock, place } = await readSnapshot(placeFor({ cwd: dir, home, env }, { global: file.startsWith("~/") }));
  return pinOf(place, name, lock.workflows.get(name)!, join(place.root, file.replace("~/.config/opencode/", "")));
}

/** The error that a command ends with; anything but a `HugoError` fails the test. */
export async function refusalOf(work: Promise<unknown>): Promise<HugoError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof HugoError) return error;
    throw error;
  }
  throw new Error("It was accepted, though it must be refused.");
}

export function agent(text: string, more = ""): string {
  return `---\ndescription: Looks at code\nmode: subagent\n${more}---\n\n${text}\n`;
}

/** A plugin package with one agent, which its code registers itself. */
export function plugin(
  version: string,
  files: Readonly<Record<string, string>> = {},
  name = "@org/review",
): PackageToPublish {
  return {
    name,
    version,
    manifest: { main: "index.js", type: "module", description: "Reviews code" },
    files: {
      "workflow.json": JSON.stringify({ agents: ["reviewer"], commands: [], skills: [] }),
      "index.js": `export default async () => ({ config: async (c) => { c.agent = { ...c.agent, reviewer: { prompt: "${version}" } }; } });\n`,
      "agents/reviewer.md": agent("Reviews."),
      ...files,
    },
  };
}

/** A package whose files are copied. */
export function copy(version: string, files: Readonly<Record<string, string>>, name = "@org/notes"): PackageToPublish {
  return { name, version, files };
}

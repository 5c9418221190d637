// A table of commands that do what the tests of the command line need, and nothing to any file.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { DurableError } from "@atomic/durable-files/errors";
import type { CommandReport } from "@atomic/terminal/command";
import type { HugoCommand } from "../../src/commands/shared/hugo-command.ts";
import type { HugoCommandRow, HugoCommands } from "../../src/commands.ts";
import type { Context } from "../../src/context.ts";
import { HugoError } from "../../src/errors.ts";

const asJson: CommandReport<unknown> = {
  text: (result) => `${JSON.stringify(result)}\n`,
  notes: () => "",
  json: (result) => ({ result }),
  exitCode: () => 0,
};

function row(command: Partial<HugoCommand> & Pick<HugoCommand, "name" | "run">, rest: Partial<HugoCommandRow> = {}) {
  const defaults = {
    summary: `Do what ${command.name} does`,
    arguments: {},
    options: {},
    examples: [{ command: `hugo ${command.name}`, shows: "what it does" }],
    mutates: false,
    report: asJson,
  };
  const { aliases } = command;
  const load = async (): Promise<HugoCommand> => ({ ...defaults, ...command });
  return { name: command.name, ...(aliases && { aliases }), group: "change", load, ...rest } as const;
}

/** Says what it was given. */
const echo = row({
  name: "echo",
  aliases: ["e"],
  summary: "Say what it was given.",
  arguments: {
    spec: { count: "one", summary: "What to say" },
    name: { count: "many", summary: "To whom" },
  },
  options: {
    skipModified: { kind: "flag", summary: "Leave out what was changed" },
    force: { kind: "flag", short: "f", summary: "Say it in any case" },
    registry: { kind: "text", value: "url", summary: "Where to ask" },
    type: { kind: "choice", value: "type", choices: ["agent", "command"], summary: "Only of this type" },
  },
  mutates: true,
  run: async (_, input) => input,
});

const look = row(
  {
    name: "look",
    arguments: { name: { count: "maybe", summary: "At whom" } },
    run: async (_, input) => input,
    report: {
      text: () => "the answer\n",
      notes: () => "a note\n",
      json: () => ({ answer: 42 }),
      exitCode: (input) => ((input as { name?: string }).name === "nobody" ? 1 : 0),
      error: () => ({ code: "nobody", message: "nobody is called that" }),
    },
  },
  { group: "look" },
);

/** Ends only when it is asked to. */
function aborted({ signal }: Context): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
}

const ask = row({
  name: "ask",
  mutates: true,
  run: async ({ user }) => {
    user.progress("Looking at review");
    return await user.approve({
      title: "Install review 1.0.0 from @org/review \x1b[31m",
      capabilities: [{ kind: "shell", subject: "commands/ship.md", detail: "git push --force" }],
      notes: ["The project's .npmrc sends @org to another registry."],
    });
  },
  report: {
    ...asJson,
    exitCode: (answer) => (answer === "approved" ? 0 : 5),
    error: (answer) => ({ code: "not-approved", message: `the answer is ${answer}` }),
  },
});

/** Says what it does and waits until the address that it is given answers. */
const fetching = row({
  name: "fetch",
  arguments: { spec: { count: "many", summary: "Addresses" } },
  run: async ({ user, ...context }, input) => {
    for (const address of (input as unknown as { spec: readonly string[] }).spec) {
      user.progress(`Fetching ${address}`);
      await (await fetch(address, { ...(context.signal && { signal: context.signal }) })).text();
    }
    return "fetched";
  },
});

/** Runs another program, which ends with it; says so on stderr, as a program that tidies up would in a log. */
const program = row({
  name: "program",
  run: async ({ user, signal }) => {
    const child = spawn("sleep", ["1000"], { stdio: "ignore", ...(signal && { signal }) });
    user.progress(`Running ${child.pid}`);
    try {
      const [error] = await once(child, "error");
      throw error;
    } finally {
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      process.stderr.write(`\ntidied ${child.signalCode}\n`);
    }
  },
});

/** Ignores every request to stop. */
const stubborn = row({
  name: "stubborn",
  run: ({ user }) => {
    user.progress("Doing it");
    return new Promise(() => setInterval(() => undefined, 1000)); // keeps the program alive
  },
});
const finishing = row({ name: "finishing", run: (context) => aborted(context).catch(() => "done all the same") });

/** More than any pipe holds at once. */
export const longAnswer: string = "0123456789abcde\n".repeat(200_000);
const long = row({ name: "long", run: async () => undefined, report: { ...asJson, text: () => longAnswer } });

const failures: Readonly<Record<string, () => unknown>> = {
  bug: () => new TypeError("impossible \x1b[31m", { cause: new Error("the reason\nbehind it") }),
  refused: () =>
    new HugoError("manifest-invalid", {
      message: 'workflow.json: "agents[2]" repeats "rev\x1b[2Jiewer"',
      at: "/project/workflow.json:3:5",
      hint: "Run `hugo build` in the workflow package to write it again.",
    }),
  locked: () =>
    new DurableError("locked", {
      message: "Somebody holds the lock /project/.opencode/.hugo",
      at: "/project/.opencode/.hugo",
      hint: "Wait for process 7.",
    }),
  unsound: () => new DurableError("internal", { message: "the result does not parse" }),
  "disk-full": () =>
    Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" }),
  missing: () =>
    Object.assign(new Error("ENOENT: no such file or directory, open 'x'"), { code: "ENOENT", syscall: "open" }),
  nothing: () => undefined,
};

const fail = row({
  name: "fail",
  arguments: { kind: { count: "one", summary: Object.keys(failures).join(", ") } },
  run: async (_, input) => {
    throw failures[(input as unknown as { kind: string }).kind]?.();
  },
});

export const sampleOperations: HugoCommands = [echo, look, ask, fetching, program, stubborn, finishing, long, fail];

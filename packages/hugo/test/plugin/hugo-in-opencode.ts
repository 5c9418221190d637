// The packed package on a loopback registry, from which the real OpenCode installs it as a plugin.
import { join } from "node:path";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import type { OpencodeServer, PromptOptions, RealSession } from "@atomic/testing/opencode/server";
import { type Project, tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";
import { bundleHugo } from "../cli/programs.ts";

const packageFolder = join(import.meta.dirname, "../..");

/** The very bytes that npm would publish. */
async function publishHugo(registry: NpmRegistry, project: Project): Promise<void> {
  await bundleHugo();
  await publishFolder(registry, project, packageFolder);
}

export interface HugoInOpencode extends AsyncDisposable {
  readonly registry: NpmRegistry;
  readonly model: ModelServer;
  readonly project: Project;
}

export async function hugoInOpencode(files: Readonly<Record<string, string>> = {}): Promise<HugoInOpencode> {
  const stack = new AsyncDisposableStack();
  const registry = stack.use(await npmRegistry());
  const model = stack.use(await modelServer());
  const project = stack.use(await tmpProject({ registry, files }));
  await publishHugo(registry, project);
  return { registry, model, project, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

type Reply = { readonly reply: "once" | "always" | "reject"; readonly message?: string };

export const yes: Reply = { reply: "once" };
export const no: Reply = { reply: "reject" };

export interface Asked {
  /** All that OpenCode's own screen shows of a request. */
  readonly shown: string;
  readonly patterns: readonly string[];
  readonly always: readonly string[];
  readonly report: string;
}

interface AskedProperties extends Pick<Asked, "patterns" | "always"> {
  readonly id: string;
  readonly permission: string;
  readonly metadata: { readonly report: string };
}

/** Prompts, and answers what is asked meanwhile, one reply after the other. More questions than replies are an error. */
export async function converse(
  server: OpencodeServer,
  session: RealSession,
  prompt: string,
  replies: readonly Reply[] = [],
  options: PromptOptions = {},
): Promise<{ readonly text: string; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  let after = server.events.length;
  const turn = session.prompt(prompt, options);
  const isOver = turn.then(() => undefined);
  for (const reply of replies) {
    const event = await Promise.race([
      server.waitForEvent("permission.asked", { sessionID: session.id, after, deadline: 60_000 }),
      isOver,
    ]);
    if (event === undefined) throw new Error(`Hugo did not ask question ${asked.length + 1}.`);
    after = server.events.indexOf(event) + 1;
    const { id, permission, patterns, always, metadata } = event.properties as unknown as AskedProperties;
    asked.push({ shown: permission, patterns, always, report: metadata.report });
    await server.clientFor(event.directory).permission.reply({ requestID: id, ...reply }, { throwOnError: true });
  }
  const { text } = await turn;
  const questions = server.events.slice(after).filter(({ type }) => type === "permission.asked");
  if (questions.length > 0) throw new Error(`Asked more often than expected: ${JSON.stringify(questions)}`);
  return { text, asked };
}

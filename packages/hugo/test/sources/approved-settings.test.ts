// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how npm's files name variables.
// A cloned project's .npmrc chooses a registry, and asks for a token.
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { AgentRefused } from "@atomic/terminal/agent-at-keyboard";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import type { Approval, Context, User } from "../../src/context.ts";
import { registrySettings } from "../../src/sources/registry/approved-settings.ts";
import { readPackument } from "../../src/sources/registry/packument.ts";
import { registryOf } from "../../src/sources/registry/settings.ts";
import { refusalOf } from "./fetching.ts";

const STATE = "~/.local/state/hugo/approved-registries.json";

interface Asked {
  readonly context: Context;
  readonly questions: Approval[];
}

/** One command in the project. */
function command(project: Project, answer: "approved" | "declined" | "nobody", more: Partial<User> = {}): Asked {
  const questions: Approval[] = [];
  const user: User = {
    approve: async (request) => {
      questions.push(request);
      return answer;
    },
    progress: () => undefined,
    ...more,
  };
  const env = { ...project.env, npm_config_registry: "", NPM_TOKEN: "secret" };
  return { questions, context: { cwd: project.dir, home: project.home, env, user } };
}

async function clone(registry: NpmRegistry, npmrc = lines(registry)): Promise<Project> {
  registry.publish({ name: "review", version: "1.0.0" });
  return await tmpProject({ files: { ".npmrc": npmrc, "~/.npmrc": "registry=http://127.0.0.1:9/\n" } });
}

const lines = ({ url }: NpmRegistry) => `registry=${url}\n${url.replace("http:", "")}:_authToken=\${NPM_TOKEN}\n`;
const tokens = ({ requests }: NpmRegistry) => requests.map(({ headers }) => headers.authorization);

describe("a registry that only the project has chosen", () => {
  test("is asked about once, with where packages come from and what is sent", async () => {
    await using registry = await npmRegistry();
    await using project = await clone(registry);
    const first = command(project, "approved");
    const settings = await registrySettings(first.context);
    await readPackument("review", settings, first.context);
    const { host } = new URL(registry.url);
    expect(first.questions).toEqual([
      {
        title: "Use the registry settings in this project's .npmrc",
        capabilities: [],
        notes: [
          `Packages come from ${registry.url}, not from http://127.0.0.1:9/.`,
          `Your NPM_TOKEN is sent to ${host}/.`,
          "If you did not write this project, its author chose this. Hugo asks again only if these lines change.",
        ],
      },
    ]);
    expect(settings.notices).toEqual([
      `Because of this project's .npmrc, packages come from ${registry.url}`,
      `Because of this project's .npmrc, your NPM_TOKEN is sent to ${host}/`,
    ]);
    expect(tokens(registry)).toEqual(["Bearer secret"]);

    const second = command(project, "nobody");
    expect((await registrySettings(second.context)).notices).toEqual(settings.notices);
    expect(second.questions).toEqual([]);
    expect(await project.json(STATE)).toEqual({
      version: 1,
      projects: { [project.path(".npmrc")]: expect.stringMatching(/^sha256:/) },
    });
    expect(await project.tree()).toEqual([".npmrc"]);
  });

  test.each([
    ["another address", (text: string) => text.replace("registry=http://127.0.0.1", "registry=http://127.0.0.2")],
    ["another variable", (text: string) => text.replace("NPM_TOKEN", "NODE_AUTH_TOKEN")],
    ["one more scope", (text: string) => `${text}@org:registry=https://org.test/\n`],
  ])("is asked about again with %s", async (_, change) => {
    await using registry = await npmRegistry();
    await using project = await clone(registry);
    await registrySettings(command(project, "approved").context);
    await project.write(".npmrc", change(lines(registry)));
    const again = command(project, "declined");
    const context = { ...again.context, env: { ...again.context.env, NODE_AUTH_TOKEN: "other" } };
    expect((await refusalOf(registrySettings(context))).code).toBe("declined");
    expect(again.questions).toHaveLength(1);
    await project.write(".npmrc", `# a comment\n${lines(registry)}fund=false\n`);
    const same = command(project, "nobody");
    await registrySettings(same.context);
    expect(same.questions).toEqual([]);
  });

  test("approved in one project, is not approved in another", async () => {
    await using registry = await npmRegistry();
    await using project = await clone(registry);
    await registrySettings(command(project, "approved").context);
    const other = command(project, "nobody");
    await project.write("sub/.npmrc", lines(registry));
    const refused = registrySettings({ ...other.context, cwd: project.path("sub") });
    expect((await refusalOf(refused)).code).toBe("not-approved");
  });

  test.each([
    ["nobody", "not-approved", 4],
    ["declined", "declined", 1],
  ] as const)("gets nothing if the answer is %s", async (answer, code, exitCode) => {
    await using registry = await npmRegistry();
    await using project = await clone(registry);
    const { context, questions } = command(project, answer);
    const error = await refusalOf(registrySettings(context));
    expect(error).toMatchObject({ code, exitCode, at: project.path(".npmrc") });
    expect(error.message).toEndWith(
      `: packages come from ${registry.url}, not from http://127.0.0.1:9/; ` +
        `your NPM_TOKEN is sent to ${new URL(registry.url).host}/`,
    );
    expect(error.hint).toContain("~/.npmrc");
    expect(questions).toHaveLength(1);
    expect(registry.requests).toEqual([]);
    expect(await project.exists(STATE)).toBe(false);
  });

  test("is approved by --yes, which says what is sent where and is not remembered", async () => {
    await using registry = await npmRegistry();
    await using project = await clone(registry);
    const yes = command(project, "nobody", { yes: true });
    const settings = await registrySettings(yes.context);
    expect(registryOf("review", settings)).toBe(registry.url);
    expect(settings.notices).toContain(
      `Because of this project's .npmrc, your NPM_TOKEN is sent to ${new URL(registry.url).host}/`,
    );
    expect(yes.questions).toEqual([]);
    expect((await refusalOf(registrySettings(command(project, "nobody").context))).code).toBe("not-approved");
  });

  test("cannot be approved by an agent, not even with --yes", async () => {
    await using registry = await npmRegistry();
    await using project = await clone(registry);
    const refuseAgent = (what: string): void => {
      throw new AgentRefused({ agent: "OpenCode", sign: "OPENCODE=1" }, what, "hugo info review");
    };
    const byAgent = () => command(project, "approved", { refuseAgent, yes: true });
    const agent = byAgent();
    await expect(registrySettings(agent.context)).rejects.toBeInstanceOf(AgentRefused);
    expect(agent.questions).toEqual([]);
    // What you have approved, an agent may use.
    await registrySettings(command(project, "approved").context);
    expect(registryOf("review", await registrySettings(byAgent().context))).toBe(registry.url);
  });

  test("is one question for all requests of a command", async () => {
    await using registry = await npmRegistry();
    await using project = await clone(registry);
    const { context, questions } = command(project, "declined");
    await Promise.all([1, 2, 3].map(async () => await refusalOf(registrySettings({ ...context }))));
    expect(questions).toHaveLength(1);
  });

  test("gets a variable in its address only after you were told", async () => {
    await using project = await tmpProject({ files: { ".npmrc": "@x:registry=https://x.test/${NPM_TOKEN}/\n" } });
    const { message } = await refusalOf(registrySettings(command(project, "nobody", { yes: false }).context));
    expect(message).toContain("which gets your NPM_TOKEN");
    const { notices } = await registrySettings(command(project, "nobody", { yes: true }).context);
    expect(notices).toEqual([
      "Because of this project's .npmrc, packages in @x come from https://x.test/${NPM_TOKEN}/, which gets your NPM_TOKEN",
    ]);
  });

  test("is asked about again if the record is damaged, and the record is written anew", async () => {
    await using registry = await npmRegistry();
    await using project = await clone(registry);
    await project.write(STATE, "{ half");
    const first = command(project, "approved");
    await registrySettings(first.context);
    await registrySettings(command(project, "nobody").context);
    expect(first.questions).toHaveLength(1);
  });

  test("is used for this command if the approval cannot be saved, which is reported", async () => {
    await using registry = await npmRegistry();
    await using project = await clone(registry);
    mkdirSync(project.path("~/.local/state/hugo"), { recursive: true });
    // A file where the lock's folder must be.
    writeFileSync(project.path("~/.local/state/hugo/lock"), "");
    const { context } = command(project, "approved");
    const { notices } = await registrySettings(context);
    expect(notices).toContainEqual(expect.stringContaining("could not be saved, so Hugo will ask again"));
  });
});

describe("a login that only the project asks for", () => {
  const login = ({ url }: NpmRegistry) => `${url.replace("http:", "")}:_authToken=\${NPM_TOKEN}\n`;

  test.each(["nobody", "declined"] as const)(
    "is left out if the answer is %s, and packages are still found",
    async (answer) => {
      await using registry = await npmRegistry();
      await using project = await clone(registry, login(registry));
      await project.write("~/.npmrc", `registry=${registry.url}\n`);
      const { context } = command(project, answer);
      const settings = await registrySettings(context);
      expect(await readPackument("review", settings, context)).toMatchObject({ versions: ["1.0.0"] });
      expect(tokens(registry)).toEqual([undefined]);
      expect(settings.notices).toEqual([
        `A line in .npmrc was ignored, because you have not approved it: Your NPM_TOKEN is sent to ${new URL(registry.url).host}/.`,
      ]);
    },
  );

  test("does not stop an agent, which gets no token", async () => {
    await using registry = await npmRegistry();
    await using project = await clone(registry, login(registry));
    await project.write("~/.npmrc", `registry=${registry.url}\n`);
    const refuseAgent = (what: string): void => {
      throw new AgentRefused({ agent: "OpenCode", sign: "OPENCODE=1" }, what, "hugo info review");
    };
    const { context } = command(project, "approved", { refuseAgent });
    await readPackument("review", await registrySettings(context), context);
    expect(tokens(registry)).toEqual([undefined]);
  });

  test.each([
    ["whose variable is not set", "//r.test/:_authToken=${NPM_OTHER}\n"],
    ["that the user has as well", "//own.test/:_authToken=${NPM_TOKEN}\n"],
    ["for the same registry as the user's", "registry=https://own.test\n@org:registry=https://org.test/\n"],
    ["for nothing but npm itself", "fund=false\nsave-exact=true\nengine-strict=true\n"],
  ])("needs no approval if it is one %s", async (_, npmrc) => {
    const own = "registry=https://own.test/\n@org:registry=https://org.test\n//own.test/:_authToken=secret\n";
    await using project = await tmpProject({ files: { ".npmrc": npmrc, "~/.npmrc": own } });
    const { context, questions } = command(project, "nobody");
    expect((await registrySettings(context)).notices).toEqual([]);
    expect(questions).toEqual([]);
  });

  test("npm's own registry, named by a project, needs no approval from a user without another one", async () => {
    await using project = await tmpProject({ files: { ".npmrc": "registry=https://registry.npmjs.org\n" } });
    const { context, questions } = command(project, "nobody");
    expect(registryOf("x", await registrySettings(context))).toBe("https://registry.npmjs.org/");
    expect(questions).toEqual([]);
  });
});

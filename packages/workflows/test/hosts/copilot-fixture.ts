// The real Copilot runtime, with a private home and the scripted model.
import { randomUUID } from "node:crypto";
import { heavyHost, offline } from "@atomic/testing/heavy";
import { markedProcesses } from "@atomic/testing/marked-processes";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { type Project, tmpProject } from "@atomic/testing/project";
import { type CopilotHostOptions, copilotHost } from "../../src/hosts/copilot.ts";
import type { Host } from "../../src/hosts/host.ts";
import { type HostFixture, processesWith } from "./host-fixture.ts";
import { modelScript } from "./model-script.ts";

export interface CopilotFixture extends HostFixture {
  readonly model: ModelServer;
  readonly project: Project;
  /** What its hosts are made with, besides the SDK. */
  readonly options: CopilotHostOptions;
}

export async function copilotFixture(): Promise<CopilotFixture> {
  const sdk = heavyHost("copilot");
  if (!sdk.available) throw new Error(sdk.reason);
  const [model, project, processes] = [
    await modelServer({ models: ["model-1", "model-2"] }),
    await tmpProject(),
    await markedProcesses(),
  ];
  await allowEverything(project);
  const hosts: Host[] = [];
  const options: CopilotHostOptions = {
    folder: project.dir,
    env: { ...project.env, ...processes.env, ...copilotEnv },
    provider: { type: "openai", wireApi: "completions", baseUrl: model.v1, apiKey: "none" },
    client: { baseDirectory: project.path("~/.copilot"), useLoggedInUser: false },
  };
  return {
    model,
    project,
    options,
    async host() {
      const host = await copilotHost({ load: sdk.load, ...options });
      hosts.push(host);
      return host;
    },
    session: { folder: project.dir, model: "model-1" },
    script: modelScript(model, ({ path, content }) => ({ name: "create", args: { path, file_text: content } })),
    isUsageStored: false,
    unknownId: randomUUID(),
    tools: { read: "view", write: "create" },
    otherModel: { option: "model-2", requested: "model-2" },
    processes: () => processesWith(Object.entries(processes.env)[0]?.join("=") ?? ""),
    async [Symbol.asyncDispose]() {
      for (const host of hosts) await host.dispose();
      await processes[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

/** In every way that Copilot has: the contract holds all the same. */
async function allowEverything(project: Project): Promise<void> {
  const approvals = [{ kind: "write" }, { kind: "commands", commandIdentifiers: ["touch"] }];
  await project.write(
    "~/.copilot/permissions-config.json",
    JSON.stringify({ locations: { [project.dir]: { tool_approvals: approvals } } }),
  );
  const bash = `echo '{"permissionDecision":"allow"}'`;
  await project.write(
    ".github/hooks/allow.json",
    JSON.stringify({ version: 1, hooks: { preToolUse: [{ type: "command", bash, timeoutSec: 10 }] } }),
  );
}

const copilotEnv = {
  ...offline,
  COPILOT_OFFLINE: "true",
  COPILOT_ALLOW_ALL: "true",
  // Else tools get what the machine's login shell sets, PATH included.
  COPILOT_DISABLE_LOGIN_SHELL_ENV: "true",
};

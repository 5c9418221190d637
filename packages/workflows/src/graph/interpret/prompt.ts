import { expandArguments } from "../../entities/arguments.ts";
import type { Entity } from "../../entities/entity.ts";
import type { Json } from "../../run/json.ts";
import type { AgentJson, CommandJson, SkillJson } from "../graph-json.ts";
import { jsonOf } from "../json-value.ts";
import type { PromptRequest } from "../node-host.ts";
import { present } from "../present.ts";
import type { NodeResult } from "./memory.ts";
import { resultOf } from "./result.ts";
import { type Scope, textOf } from "./scope.ts";
import { attempting, stepOptions } from "./step-options.ts";

type Prompting = AgentJson | SkillJson | CommandJson;

/** What is sent, and where. */
type Opened = { readonly session: Json; readonly prompt: string; readonly system?: string };

type Replied = NodeResult & { readonly usd?: number; readonly session?: Json };

/**
 * Two steps: the session is written down before anything is sent to it, with the prompt, so that after a crash the same
 * question is put to the same session.
 */
export async function runPrompt(scope: Scope, node: Prompting, path: string): Promise<void> {
  const { ctx, memory } = scope;
  const { host } = scope.services;
  const { session, ...text } = await openSession(scope, node, path);
  if (node.session !== undefined) memory.sessions = { ...memory.sessions, [node.session]: session };

  const send = attempting(scope, node, async (info): Promise<Replied> => {
    const reply = await host.send(requestOf(scope, node, path, text), session, info);
    const result = await resultOf(scope, node, reply.text);
    return { ...result, ...present({ usd: reply.usd, session: reply.session }) };
  });
  const replied = await ctx.step<Replied>(path, send, stepOptions(node, "agents"));

  memory.take(node.id, replied);
  memory.text = String(replied.output);
  memory.usd += replied.usd ?? 0;
  if (node.session !== undefined && replied.session !== undefined) {
    memory.sessions = { ...memory.sessions, [node.session]: replied.session };
  }
}

async function openSession(scope: Scope, node: Prompting, path: string): Promise<Opened> {
  const known = node.session === undefined ? undefined : scope.memory.sessions[node.session];
  const open = attempting(scope, node, async (info): Promise<Opened> => {
    const system =
      node.kind === "agent" && node.system ? await textOf(scope, node.id, "system", node.system) : undefined;
    const text = { prompt: await promptOf(scope, node), ...present({ system }) };
    if (known !== undefined) return { session: known, ...text };
    const session = await scope.services.host.open(requestOf(scope, node, path, text), info);
    return { session: jsonOf(session, `The session of the node "${node.id}"`), ...text };
  });
  return await scope.ctx.step(`${path}:session`, open, known === undefined ? stepOptions(node) : { local: true });
}

async function promptOf(scope: Scope, node: Prompting): Promise<string> {
  if (node.kind === "agent") {
    return node.prompt === undefined ? inputText(scope) : await textOf(scope, node.id, "prompt", node.prompt);
  }
  const entity = entityOf(scope, node);
  const input = node.args === undefined ? "" : await textOf(scope, node.id, "args", node.args);
  const { provider } = entity.source;
  return expandArguments(entity.prompt, input, { provider, names: entity.argumentNames });
}

function inputText({ memory: { input } }: Scope): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

function entityOf({ compiled }: Scope, node: Prompting): Entity {
  const reference = node.kind === "agent" ? node.agent : node.kind === "skill" ? node.skill : node.command;
  const entity = compiled.entities.get(`${node.kind}:${reference}`);
  if (entity === undefined) throw new Error(`The ${node.kind} "${reference}" was not compiled into the graph.`);
  return entity;
}

function requestOf(
  scope: Scope,
  node: Prompting,
  path: string,
  text: { readonly prompt: string; readonly system?: string },
): PromptRequest {
  const found = node.kind === "agent" && node.agent === undefined ? undefined : entityOf(scope, node);
  const { host, permissions } = node;
  const model = node.model ?? found?.modelId ?? found?.model;
  return {
    runId: scope.ctx.runId,
    path,
    ...text,
    keep: node.session !== undefined,
    ...(found && (node.kind === "agent" ? { agent: found } : { entity: found })),
    ...present({
      host,
      permissions,
      model: model === "inherit" ? undefined : model,
      tools: node.tools ?? found?.tools,
    }),
  };
}

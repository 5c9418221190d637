// What every host has to hold, on the real program and with a scripted model.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ModelGate } from "@atomic/testing/model/gate";
import { within } from "@atomic/testing/waiting";
import * as z from "zod";
import { agentNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { last } from "../../src/graph/state.ts";
import {
  type Host,
  HostError,
  type HostEvent,
  type HostSession,
  type PermissionEvent,
  type SendOptions,
  type SessionOptions,
} from "../../src/hosts/host.ts";
import { nodeHostOf } from "../../src/hosts/node-host-of.ts";
import { RateLimitError } from "../../src/run/step-errors.ts";
import { endedOf, engineFor, noEntities } from "../graph/run-graph.ts";
import type { HostFixture } from "./host-fixture.ts";

export interface ContractOptions {
  /** Milliseconds for one test. Default: 30,000. */
  readonly timeout?: number;
  /** Parts that this host has no use for, with the reason. */
  readonly lacks?: Partial<Record<Part, string>>;
}

type Part = "processes" | "models";

export function hostContract(name: string, setUp: () => Promise<HostFixture>, options: ContractOptions = {}): void {
  const { timeout = 120_000, lacks = {} } = options;
  const check = (title: string, body: () => Promise<void>, part?: Part) => {
    const reason = part === undefined ? undefined : lacks[part];
    if (reason === undefined) test(title, body, timeout);
    else test.skip(`${title} (${reason})`, body);
  };

  describe(`${name}:`, () => {
    let fixture: HostFixture;
    let host: Host;
    let other: Host | undefined;
    const newSession = (more: Partial<SessionOptions> = {}) => host.create({ ...fixture.session, ...more });
    /** As another process sees it. Two are enough for all tests: a host may take seconds to start. */
    const elsewhere = async () => (other ??= await fixture.host());

    beforeAll(async () => {
      fixture = await setUp();
      host = await fixture.host();
    }, timeout);
    afterEach(() => fixture.script.verify());
    afterAll(async () => await fixture?.[Symbol.asyncDispose](), timeout);

    check("a reply is streamed as it comes", async () => {
      const gate = new ModelGate();
      fixture.script.says("count slowly", ["one ", "two"], { gate });
      const seen: HostEvent[] = [];
      gate.release();
      for await (const event of (await newSession()).send("count slowly")) {
        // The second word is only let out after the first one has arrived.
        if (event.type === "text" && textOf(seen) === "") gate.open();
        seen.push(event);
      }
      expect(seen.filter(({ type }) => type === "text").length).toBeGreaterThan(1);
      expect(textOf(seen)).toBe("one two");
      expect(seen.at(-1)).toEqual({ type: "end", text: "one two" });
    });

    check("a tool call that is allowed edits a real file", async () => {
      const path = join(fixture.session.folder, "allowed.txt");
      fixture.script.writes("write the allowed file", { path, content: "by the agent\n" }, "written");
      const asked: PermissionEvent[] = [];
      const events = await collect(await newSession(), "write the allowed file", async (permission) => {
        asked.push(permission);
        await permission.answer("allow");
      });
      expect(await readFile(path, "utf8")).toBe("by the agent\n");
      expect(asked.map(({ tool, detail }) => [tool, detail.includes("allowed.txt")])).toEqual([["write", true]]);
      const started = events.find((event) => event.type === "tool-started");
      const ended = events.find((event) => event.type === "tool-ended");
      expect(started).toMatchObject({ tool: "write" });
      expect(ended).toMatchObject({ tool: "write", ok: true, id: started?.id });
      expect(events.at(-1)).toEqual({ type: "end", text: "written" });
      await rm(path);
    });

    check(
      "in a run, `always` is asked once, and a reply that does not fit its schema is corrected in its session",
      async () => {
        const files = ["first.txt", "second.txt"].map((name) => join(fixture.session.folder, name));
        for (const path of files)
          fixture.script.writes(`always write ${path}`, { path, content: "always\n" }, "written");
        fixture.script.says("rate the harbour", "four stars");
        fixture.script.says("Your last reply cannot be used:", '{"stars":4}');
        const compiled = graph({ name: "always", state: { rating: last<{ readonly stars: number } | null>(null) } })
          .start(agentNode({ id: "first", prompt: `always write ${files[0]}` }))
          .then(agentNode({ id: "second", prompt: `always write ${files[1]}` }))
          .then(
            agentNode({
              id: "rate",
              prompt: "rate the harbour",
              schema: z.object({ stars: z.number() }),
              into: "rating",
            }),
          )
          .compile(noEntities);
        const { folder, ...rest } = fixture.session;
        const make = async (): Promise<Host> => ({
          name: host.name,
          create: (session) => host.create({ ...rest, ...session }),
          resume: (id, session) => host.resume(id, { ...rest, ...session }),
          dispose: async () => undefined,
        });
        const nodeHost = nodeHostOf({ hosts: { own: make }, default: "own", folder });
        const engine = engineFor(compiled, { host: nodeHost });
        await engine.start({ runId: "run", graph: compiled.json, input: null });
        const run = await engine.run("run");
        const asked: string[] = [];
        for await (const event of run) {
          if (event.type !== "wait-started") continue;
          asked.push(event.key);
          await engine.signal("run", event.key, "always");
        }
        const { result } = await endedOf(engine, "run", await run.ended);
        expect(asked).toEqual(["first?1"]);
        for (const path of files) expect(await readFile(path, "utf8")).toBe("always\n");
        expect(result.state).toEqual({ rating: { stars: 4 } });
        const [again] = fixture.script.asked("Your last reply cannot be used:");
        expect(again?.messages.join("\n")).toMatch(/rate the harbour[\s\S]*four stars/);
        await nodeHost.dispose();
      },
    );

    check("a denied permission leaves the file alone, and the agent learns why", async () => {
      const path = join(fixture.session.folder, "denied.txt");
      fixture.script.writes("write the denied file", { path, content: "never\n" }, "then not");
      const events = await collect(await newSession(), "write the denied file", (permission) =>
        permission.answer("deny", "the lake is frozen"),
      );
      expect(await within(5_000, readFile(path).catch(codeOf))).toBe("ENOENT");
      expect(events.find((event) => event.type === "tool-ended")).toMatchObject({ ok: false });
      expect(fixture.script.asked("write the denied file").at(-1)?.toolResults.join()).toContain("the lake is frozen");
      expect(events.at(-1)).toEqual({ type: "end", text: "then not" });
    });

    check("a permission denied without a reason does not end the turn either", async () => {
      const path = join(fixture.session.folder, "denied.txt");
      fixture.script.writes("write it silently", { path, content: "never\n" }, "well then");
      const events = await collect(await newSession(), "write it silently", (permission) => permission.answer("deny"));
      expect(events.at(-1)).toEqual({ type: "end", text: "well then" });
    });

    check("the model's usage is reported", async () => {
      fixture.script.says("cost something", "dear", { usage: { input: 120, output: 7 } });
      const events = await collect(await newSession(), "cost something");
      const used = events.flatMap((event) => (event.type === "usage" ? [event.usage] : []));
      const sum = (key: "inputTokens" | "outputTokens") => used.reduce((all, usage) => all + (usage[key] ?? 0), 0);
      expect({ input: sum("inputTokens"), output: sum("outputTokens") }).toEqual({ input: 120, output: 7 });
    });

    check("a second prompt sees the first, and only its own reply is streamed", async () => {
      const session = await newSession();
      fixture.script.says("remember the heron", "noted: heron");
      await collect(session, "remember the heron");
      fixture.script.says("which bird was it", "a heron");
      const events = await collect(session, "which bird was it");
      const said = fixture.script.asked("which bird was it")[0]?.messages.join("\n");
      expect(said).toContain("remember the heron");
      expect(said).toContain("noted: heron");
      expect(textOf(events)).toBe("a heron");
    });

    check("parallel sessions do not see each other", async () => {
      const prompts = ["first of three", "second of three", "third of three"];
      for (const prompt of prompts) fixture.script.says(prompt, `done: ${prompt}`);
      const events = await Promise.all(prompts.map(async (prompt) => collect(await newSession(), prompt)));
      expect(events.map(textOf)).toEqual(prompts.map((prompt) => `done: ${prompt}`));
    });

    check("system prompt and a given agent reach the model", async () => {
      const agent = { name: "limnologist", description: "Knows lakes", prompt: "Speak of lakes only." };
      const session = await newSession({ system: "Answer in one word.", agent });
      fixture.script.says("what is below the ice", "water");
      await collect(session, "what is below the ice");
      const [asked] = fixture.script.asked("what is below the ice");
      expect(asked?.system).toContain("Answer in one word.");
      expect(asked?.system).toContain("Speak of lakes only.");
    });

    check("only the tools that are named are offered to the model", async () => {
      fixture.script.says("look with all tools", "seen");
      await collect(await newSession(), "look with all tools");
      const { read, write } = fixture.tools;
      const offered = (prompt: string) =>
        [read, write].filter((tool) => fixture.script.asked(prompt)[0]?.tools.includes(tool));
      expect(offered("look with all tools")).toEqual([read, write]);
      fixture.script.says("look with one tool", "seen");
      await collect(await newSession({ tools: ["read"] }), "look with one tool");
      expect(offered("look with one tool")).toEqual([read]);
      fixture.script.says("look with no tool", "blind");
      await collect(await newSession({ tools: [] }), "look with no tool");
      expect(offered("look with no tool")).toEqual([]);
      fixture.script.says("look without one tool", "seen");
      await collect(await newSession({ deny: ["write", "edit"] }), "look without one tool");
      expect(offered("look without one tool")).toEqual([read]);
    });

    check(
      "the model that is asked for is the one that answers",
      async () => {
        const { option, requested } = fixture.otherModel;
        fixture.script.says("who are you", "the other one");
        await collect(await newSession({ model: option }), "who are you");
        expect(fixture.script.asked("who are you")[0]?.model).toBe(requested);
      },
      "models",
    );

    for (const way of ["its signal", "abort()"] as const) {
      check(`a turn aborted by ${way} closes the model's stream within two seconds`, async () => {
        const hanging = fixture.script.hangs(`think for ever, until ${way}`);
        const session = await newSession();
        const controller = new AbortController();
        const failure = collect(session, `think for ever, until ${way}`, never, { signal: controller.signal }).catch(
          (error: unknown) => error,
        );
        await hanging.begun();
        const reason = new Error("the race is lost");
        const aborted = way === "abort()" ? session.abort() : controller.abort(reason);
        expect(
          await within(
            2_000,
            hanging.stopped().then(() => "stopped"),
          ),
        ).toBe("stopped");
        await aborted;
        if (way === "abort()") expect(await failure).toMatchObject({ name: "HostError", code: "aborted" });
        else expect(await failure).toBe(reason);
        fixture.script.says(`and now, after ${way}`, "fine");
        expect((await collect(session, `and now, after ${way}`)).at(-1)).toEqual({ type: "end", text: "fine" });
      });
    }

    check("a signal that has already fired sends nothing", async () => {
      const session = await newSession();
      const reason = new Error("too late");
      const failure = collect(session, "never sent", never, { signal: AbortSignal.abort(reason) });
      expect(await failure.catch((error: unknown) => error)).toBe(reason);
      expect(fixture.script.asked("never sent")).toEqual([]);
    });

    check("aborting an idle session does nothing", async () => {
      const session = await newSession();
      await session.abort();
      fixture.script.says("still there", "yes");
      expect((await collect(session, "still there")).at(-1)).toEqual({ type: "end", text: "yes" });
    });

    check("a rate limit says when to come back", async () => {
      fixture.script.fails("too often", 429, { retryAfter: 3600, message: "Too many requests" });
      const before = Date.now();
      const error = await collect(await newSession(), "too often").catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(RateLimitError);
      const { resumeAt, retryAfterMs } = error as RateLimitError;
      expect(resumeAt ?? before + (retryAfterMs ?? 0)).toBeGreaterThan(before);
    });

    check("a failing provider is named as the cause", async () => {
      fixture.script.fails("break down", 400, { message: "the turbine is full of eels" });
      const error = await collect(await newSession(), "break down").catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(HostError);
      const message = expect.stringContaining("full of eels");
      expect(error).toMatchObject({ code: "prompt-failed", message, isPermanent: true });
    });

    check("another host resumes a session with its whole history", async () => {
      const session = await newSession();
      fixture.script.says("remember the otter", "noted: otter");
      await collect(session, "remember the otter");
      await session.dispose();
      const resumed = await (await elsewhere()).resume(session.id, fixture.session);
      expect(resumed.id).toBe(session.id);
      fixture.script.says("which animal was it", "an otter");
      await collect(resumed, "which animal was it");
      const said = fixture.script.asked("which animal was it")[0]?.messages.join("\n");
      expect(said).toContain("remember the otter");
      expect(said).toContain("noted: otter");
    });

    check("an unknown session is gone", async () => {
      const error = await host.resume(fixture.unknownId, fixture.session).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(HostError);
      expect(error).toMatchObject({ code: "session-gone", host: host.name });
    });

    check("a turn that has ended is found again without asking the model", async () => {
      const session = await newSession();
      fixture.script.says("say it once", "once and for all", { usage: { input: 11, output: 7 } });
      await collect(session, "say it once", never, { key: "run/node#1" });
      await session.dispose();
      const resumed = await (await elsewhere()).resume(session.id, fixture.session);
      const turn = await resumed.reattach("say it once", { key: "run/node#1" });
      const events = await all(turn);
      expect(events.at(-1)).toEqual({ type: "end", text: "once and for all" });
      const used = events.flatMap((event) => (event.type === "usage" ? [event.usage] : []));
      expect(used.reduce((sum, { outputTokens = 0 }) => sum + outputTokens, 0)).toBe(fixture.isUsageStored ? 7 : 0);
      expect(fixture.script.asked("say it once")).toHaveLength(1);
    });

    check("a prompt that never arrived is not found, not even if an equal one did", async () => {
      const session = await newSession();
      fixture.script.says("go on", "gone on");
      await collect(session, "go on", never, { key: "run/loop#1" });
      const resumed = await (await elsewhere()).resume(session.id, fixture.session);
      expect(await resumed.reattach("go back", { key: "run/loop#2" })).toBeUndefined();
      expect(await resumed.reattach("go on", { key: "run/loop#2" })).toBeUndefined();
    });

    check("a session without any prompt has no turn", async () => {
      const session = await newSession();
      expect(await session.reattach("anything")).toBeUndefined();
    });

    check(
      "after dispose no process is left",
      async () => {
        await (await elsewhere()).create(fixture.session);
        expect((await fixture.processes()).length).toBeGreaterThan(0);
        await other?.dispose();
        await host.dispose();
        expect(await fixture.processes()).toEqual([]);
      },
      "processes",
    );
  });
}

/** All events of a turn; permissions are answered as they come. */
export async function collect(
  session: HostSession,
  prompt: string,
  permit: (event: PermissionEvent) => Promise<void> = never,
  options: SendOptions = {},
): Promise<HostEvent[]> {
  const events: HostEvent[] = [];
  for await (const event of session.send(prompt, options)) {
    events.push(event);
    if (event.type === "permission") await permit(event);
  }
  return events;
}

async function never({ tool, detail }: PermissionEvent): Promise<void> {
  throw new Error(`Unexpected permission request: ${tool} ${detail}`);
}

async function all(turn: AsyncIterable<HostEvent> | undefined): Promise<HostEvent[]> {
  const events: HostEvent[] = [];
  for await (const event of turn ?? []) events.push(event);
  return events;
}

function textOf(events: readonly HostEvent[]): string {
  return events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("");
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

// Servers come and go: one that runs already, lines that break, processes that are killed.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { longRunningCommand } from "@atomic/testing/long-running-command";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import type { HostEvent, PermissionEvent } from "../../src/hosts/host.ts";
import { type Server, startServer } from "../../src/hosts/opencode/server.ts";
import { type OpencodeOptions, opencodeHost } from "../../src/hosts/opencode.ts";
import { brokenLine } from "./broken-line.ts";
import { collect } from "./contract.ts";
import { type OpencodeFixture, opencodeFixture } from "./opencode-fixture.ts";

setDefaultTimeout(180_000);

let fixture: OpencodeFixture;
let server: Promise<Server> | undefined;

beforeAll(async () => {
  fixture = await opencodeFixture();
});
afterEach(() => fixture.model.verify());
afterAll(async () => {
  await (await server)?.stop();
  await fixture?.[Symbol.asyncDispose]();
});

/** The server that runs already. It is started by the first test that needs one. */
async function running(): Promise<Server> {
  server ??= startServer(fixture.options);
  return await server;
}

async function address(): Promise<OpencodeOptions & { readonly url: string }> {
  const { url, headers } = await running();
  const [, password = ""] = atob(headers.authorization?.replace("Basic ", "") ?? "").split(":");
  return { url: `${url}/`, password };
}

/** Hosts on the server that runs, as two processes would have them. */
async function twoHosts(first: OpencodeOptions = {}) {
  const there = await address();
  const hosts = [opencodeHost({ ...there, ...first }), opencodeHost(there)] as const;
  return { hosts, [Symbol.asyncDispose]: async () => void (await Promise.all(hosts.map((host) => host.dispose()))) };
}

const ended = (text: string): HostEvent => ({ type: "end", text });

/** What OpenCode has unpacked, and is still there. */
function unpacked(): readonly string[] {
  const found = readdirSync(fixture.project.env.TMPDIR ?? "", { recursive: true, encoding: "utf8" });
  return found.filter((path) => path.endsWith(".so"));
}

test("a server's temporary files are removed with it, even if it crashes", async () => {
  const host = opencodeHost(fixture.options);
  fixture.model.expect("unpack").reply("unpacked");
  await collect(await host.create(fixture.session), "unpack");
  expect(unpacked()).toHaveLength(1);
  await host.dispose();
  expect(unpacked()).toEqual([]);

  const crashing = opencodeHost(fixture.options);
  fixture.model.expect("unpack again").reply("unpacked").hang();
  const failure = collect(await crashing.create(fixture.session), "unpack again").catch((error: unknown) => error);
  await fixture.model.waitFor("unpack again");
  expect(unpacked()).toHaveLength(1);
  for (const pid of await fixture.processes()) process.kill(pid, "SIGKILL");
  expect(await failure).toMatchObject({ code: "host-failed" });
  expect(unpacked()).toEqual([]);
});

test("after kill -9 neither a server nor its tools are left, and a new one knows what had ended", async () => {
  await using running = await longRunningCommand();
  fixture.model.expect("end before the crash").reply("ended in time");
  fixture.model.expect("never end").reply("well").hang();
  fixture.model.expect("hold on").tool("bash", { command: running.command, description: "Holds it" });
  const { env, program } = fixture.options;
  const prompts = ["end before the crash", "never end", "hold on"];
  const crashing = await fixture.project.start(
    ["node", await bundled(), JSON.stringify({ program }), fixture.project.dir, ...prompts],
    { env: env as Record<string, string> },
  );
  const hanging = await fixture.model.waitFor("never end");
  await running.started;
  const [, complete = ""] = await crashing.printed(/session (\S+) of end before/, 1_000);
  const [, cutOff = ""] = await crashing.printed(/session (\S+) of never end/, 1_000);
  const [abandoned = ""] = unpacked();
  process.kill(crashing.pid, "SIGKILL");
  await running.ended;
  // Only the end of the server closes this.
  expect(await hanging.ended).toBe("aborted");

  await using two = await twoHosts();
  expect(unpacked()).not.toContain(abandoned);
  const [host] = two.hosts;
  const found = await (await host.resume(complete, fixture.session)).reattach("end before the crash", {
    key: "end before the crash",
  });
  expect((await Array.fromAsync(found ?? [])).at(-1)).toEqual(ended("ended in time"));
  const cut = await host.resume(cutOff, fixture.session);
  expect(await cut.reattach("never end", { key: "never end" })).toBeUndefined();
  fixture.model.expect("go on").reply("going on");
  expect((await collect(cut, "go on")).at(-1)).toEqual(ended("going on"));
});

test("another process can follow a turn that still runs", async () => {
  await using two = await twoHosts();
  const [here, there] = two.hosts;
  const gate = fixture.model.gate();
  fixture.model.expect("take your time").slow(["one ", "two"], gate);
  const session = await here.create(fixture.session);
  const first = collect(session, "take your time", undefined, { key: "k" });
  await gate.reached();
  const other = await there.resume(session.id, fixture.session);
  const turn = await other.reattach("take your time", { key: "k" });
  const second = Array.fromAsync(turn ?? []);
  gate.open();
  expect((await first).at(-1)).toEqual(ended("one two"));
  expect((await second).at(-1)).toEqual(ended("one two"));
  expect(fixture.model.prompts).toHaveLength(1);
});

test("an open permission is asked again in another process, and one answer is enough", async () => {
  await using two = await twoHosts();
  const [here, there] = two.hosts;
  const path = fixture.project.path("asked.txt");
  fixture.model.expect("ask twice").tool("write", { filePath: path, content: "x" }).then.reply("written");
  const session = await here.create(fixture.session);
  const asked = Promise.withResolvers<PermissionEvent>();
  const first = collect(session, "ask twice", async (permission) => asked.resolve(permission), { key: "k" });
  await asked.promise;
  const turn = await (await there.resume(session.id, fixture.session)).reattach("ask twice", { key: "k" });
  const seen: HostEvent[] = [];
  for await (const event of turn ?? []) {
    seen.push(event);
    if (event.type === "permission") await event.answer("allow");
  }
  expect(seen.filter(({ type }) => type === "permission")).toHaveLength(1);
  expect((await first).at(-1)).toEqual(ended("written"));
  expect(await fixture.project.read("asked.txt")).toBe("x");
});

test("a turn that ends while the connection is down is reported after a reconnect", async () => {
  await using line = await brokenLine((await running()).url);
  await using two = await twoHosts({ url: line.url });
  const [far, near] = two.hosts;
  const gate = fixture.model.gate();
  fixture.model.expect("speak slowly").slow(["first ", "second"], gate);
  const session = await far.create(fixture.session);
  const heard = collect(session, "speak slowly", undefined, { key: "k" });
  await gate.reached();
  const turn = await (await near.resume(session.id, fixture.session)).reattach("speak slowly", { key: "k" });
  line.cut();
  gate.open();
  expect((await Array.fromAsync(turn ?? [])).at(-1)).toEqual(ended("first second"));
  await line.tried();
  line.mend();
  expect((await heard).at(-1)).toEqual(ended("first second"));
});

test("a server that rejects our password is reported as such", async () => {
  const stranger = opencodeHost({ ...(await address()), password: "guessed" });
  expect(await stranger.create(fixture.session).catch((error: unknown) => error)).toMatchObject({
    code: "host-failed",
    message: expect.stringContaining("401"),
  });
  await stranger.dispose();
});

test("dispose leaves a server alone that was running before", async () => {
  const guest = opencodeHost(await address());
  await guest.create(fixture.session);
  await guest.dispose();
  const { url, headers } = await running();
  expect((await fetch(`${url}/global/health`, { headers })).status).toBe(200);
});

test("the Bun inside OpenCode can do it too", async () => {
  fixture.model.expect("from another Bun").reply("heard you");
  const { stdout, code } = await fixture.project.run(
    [opencodeBinary, await bundled(), JSON.stringify(await address()), fixture.project.dir, "from another Bun"],
    { env: { BUN_BE_BUN: "1" } },
  );
  expect(code).toBe(0);
  expect(stdout).toContain("end heard you\ndisposed");
});

/** The scenario as one file that every runtime can run. */
async function bundled(): Promise<string> {
  const entrypoints = [fileURLToPath(import.meta.resolve("./scenario/opencode-prompts.ts"))];
  const outdir = fixture.project.path("~/bundled");
  await Bun.build({ entrypoints, outdir, target: "node", conditions: ["bun"], naming: "[name].mjs" });
  return `${outdir}/opencode-prompts.mjs`;
}

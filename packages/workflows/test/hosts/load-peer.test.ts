import { expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { claudeHost } from "../../src/hosts/claude.ts";
import { copilotHost } from "../../src/hosts/copilot.ts";
import { loadPeer } from "../../src/hosts/load-peer.ts";

const peer = { host: "heron", name: "@lake/heron-sdk", version: "2" };

/** A folder with such a package. */
async function install(folder: string, source: string): Promise<void> {
  const home = join(folder, "node_modules", peer.name);
  await mkdir(home, { recursive: true });
  await writeFile(join(home, "package.json"), JSON.stringify({ name: peer.name, type: "module", exports: "./sdk.js" }));
  await writeFile(join(home, "sdk.js"), source);
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => "it did not fail",
    (error: unknown) => error,
  );
}

test("an SDK is taken from the project", async () => {
  await using folder = await temporaryFolder();
  await install(folder.path, "export const greet = () => 'kraa';");
  const inner = join(folder.path, "packages/inner");
  await mkdir(inner, { recursive: true });
  const sdk = (await loadPeer(peer, { folder: inner })) as { greet(): string };
  expect(sdk.greet()).toBe("kraa");
});

test("an SDK that is passed in is not searched for", async () => {
  expect(await loadPeer(peer, { folder: "/nowhere", load: async () => "mine" })).toBe("mine");
});

test("an SDK that is not installed is named, with the command that installs it", async () => {
  await using folder = await temporaryFolder();
  expect(await failureOf(loadPeer(peer, { folder: folder.path }))).toMatchObject({
    name: "HostError",
    code: "host-missing",
    host: "heron",
    message: 'The host "heron" needs @lake/heron-sdk, which is not installed.',
    hint: `Run \`npm install @lake/heron-sdk@2\` in ${folder.path}.`,
  });
});

test("a broken SDK is reported with its error", async () => {
  await using folder = await temporaryFolder();
  await install(folder.path, "throw new Error('the nest is empty');");
  expect(await failureOf(loadPeer(peer, { folder: folder.path }))).toMatchObject({
    code: "host-missing",
    message: 'The host "heron" needs @lake/heron-sdk, which cannot be loaded: the nest is empty.',
  });
});

test("an SDK that lacks one of its own packages does not count as missing", async () => {
  await using folder = await temporaryFolder();
  await install(folder.path, "import '@lake/reed';");
  const error = (await failureOf(loadPeer(peer, { folder: folder.path }))) as Error;
  expect(error.message).toContain("cannot be loaded");
  expect(error.message).toContain("@lake/reed");
});

test.each([
  ["claude", claudeHost, "@anthropic-ai/claude-agent-sdk"],
  ["copilot", copilotHost, "@github/copilot-sdk"],
] as const)("%s asks for its SDK in a version that it is tested with", async (host, make, name) => {
  await using folder = await temporaryFolder();
  const error = (await failureOf(make({ folder: folder.path }))) as { code: string; host: string; hint: string };
  expect(error).toMatchObject({ code: "host-missing", host });
  const [, wanted = ""] = /npm install (\S+)`/.exec(error.hint) ?? [];
  const { peerDependencies } = await Bun.file(join(import.meta.dirname, "../../package.json")).json();
  const { dependencies: tested } = await Bun.file(
    join(import.meta.dirname, "../../../testing/heavy/package.json"),
  ).json();
  expect(wanted.startsWith(`${name}@`)).toBe(true);
  expect(Bun.semver.satisfies(tested[name], wanted.slice(name.length + 1))).toBe(true);
  expect(peerDependencies[name]).toBe(`^${tested[name]}`);
});

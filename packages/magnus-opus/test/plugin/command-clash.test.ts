// A project whose user has commands with our names, on the real OpenCode.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { opencodeServe } from "@atomic/testing/opencode";
import { OpencodeWithMagnus } from "./opencode-with-magnus.ts";
import * as agents from "./scripted-agents.ts";

const yours = ["approve", "cleanup", "implement", "waive"];
/** A plugin that comes after ours and replaces one of our commands. */
const replacing = `export default async () => ({ config: (config) => { config.command.reject = { template: "Reject the pull request." }; } });\n`;
let opencode: OpencodeWithMagnus;
let session: string;

beforeAll(async () => {
  const markdown = (what: string) => `---\ndescription: Mine\n---\n\n${what} $ARGUMENTS\n`;
  opencode = await OpencodeWithMagnus.open({
    ".opencode/command/approve.md": markdown("Approve the open pull request."),
    ".opencode/commands/cleanup.md": markdown("Tidy up the code in"),
    "~/.config/opencode/command/implement.md": markdown("Implement the ticket"),
    "opencode.json": { command: { waive: { template: "Waive the fee of $ARGUMENTS" } } },
    ".opencode/plugin/replacing.js": replacing,
  });
  session = await opencode.session();
}, 180_000);
afterEach(() => opencode.model.verify());
afterAll(() => opencode[Symbol.asyncDispose]());

type Server = { readonly client: OpencodeWithMagnus["server"]["client"] };
async function commandsOf({ client }: Server) {
  const { data } = await client.command.list({}, { throwOnError: true });
  return new Map(data.map((command) => [command.name, command]));
}

test("what OpenCode lists of your commands is what it lists without Magnus Opus, and ours have other names", async () => {
  const { project, server, model } = opencode;
  const now = await commandsOf(server);
  await using other = await opencodeServe(project, { model });
  const without = await commandsOf(other);
  for (const name of yours) {
    expect(JSON.stringify(now.get(name))).toBe(JSON.stringify(without.get(name)));
    expect(now.get(`magnus-${name}`)).toMatchObject({ agent: "orchestrator" });
  }
  expect(now.has("magnus-implement-api")).toBe(false);
  const toast = "You have a command /approve, so ours is called /magnus-approve.";
  const after = server.events.findIndex(({ type }) => type === "session.created");
  const shown = await server.waitForEvent("tui.toast.show", { after });
  expect(String(shown.properties.message)).toContain(toast);
}, 180_000);

test("your commands do what they always did, with your agent, while ours start a run", async () => {
  const { model } = opencode;
  model.expect("Implement the ticket SHOP-12").reply("mine");
  const other = await opencode.session();
  expect(await opencode.type(other, "implement", "SHOP-12")).toBe("mine");
  const asked = model.prompts.at(-1)!;
  expect(asked.user).toBe("Implement the ticket SHOP-12");
  expect(asked.system).not.toContain("Magnus Opus");
  agents.orchestratorPlans(model, "implement");
  agents.architect(model);
  await opencode.type(session, "magnus-implement", "a Convex mutation that saves a profile --skip-plan-review");
  const results = (await opencode.results(session)).join("\n");
  expect(results).toContain("You have a command `/approve`, so ours is called `/magnus-approve`.");
  expect(results).toContain("`/magnus-approve`");
  for (const name of yours) expect(results.replaceAll(`a command \`/${name}\``, "")).not.toContain(`\`/${name}`);
  expect(opencode.state(session)).toMatchObject({ phase: "architecture", flow: "implement" });
}, 120_000);

test("your own /approve, /waive and a replaced /reject decide nothing, in any session", async () => {
  const { model } = opencode;
  for (const where of [session, await opencode.session()]) {
    model.expect("Approve the open pull request.").reply("approved the pull request");
    expect(await opencode.type(where, "approve")).toBe("approved the pull request");
    model.expect("Waive the fee of user_approval because").reply("waived the fee");
    expect(await opencode.type(where, "waive", "user_approval because")).toBe("waived the fee");
    model.expect("Reject the pull request.").reply("rejected");
    expect(await opencode.type(where, "reject", "--to=requirements again")).toBe("rejected");
  }
  const { approvals, waivers, rejections, phase } = opencode.state(session);
  expect([approvals, waivers, rejections, phase]).toEqual([[], [], [], "architecture"]);
}, 120_000);

test("help, doctor and status name our commands as you can type them", async () => {
  const { model } = opencode;
  const typed = async (command: string, words = ""): Promise<string> => {
    model.expect(new RegExp(`typed \`/${command}`)).reply("shown");
    await opencode.type(session, command, words);
    return opencode.lastPrompt(`typed \`/${command}`).split("---\n\n").at(-1)!;
  };
  const help = await typed("magnus-help", "commands");
  expect(help).toContain("| `/magnus-approve` | approve what the run is waiting for");
  expect(help).toContain("You have a command `/cleanup`, so ours is called `/magnus-cleanup`.");
  expect(await typed("magnus-status")).toContain("`/magnus-approve`");
  expect(await typed("magnus-cleanup")).toContain("`/magnus-cleanup <session>` removes one.");
  const doctor = await typed("magnus-doctor");
  for (const name of yours)
    expect(doctor).toContain(`· you have a command /${name}, so ours is called /magnus-${name}`);
}, 120_000);

test("ours approve under their new name, and a run says so in its timeline", async () => {
  const { model } = opencode;
  model
    .expect(/typed `\/magnus-approve`/)
    .tool("magnus_next")
    .then.reply("approved");
  expect(await opencode.type(session, "magnus-approve")).toBe("approved");
  const { approvals, phase, commandNames } = opencode.state(session);
  expect([approvals.length, phase]).toEqual([1, "implementation"]);
  expect(Object.keys(commandNames).toSorted()).toEqual(yours);
}, 120_000);

// What a person sees in OpenCode's terminal: the real program on a pty, with a scripted model. One screen after the other.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { type Project, tmpProject } from "@atomic/testing/project";
import { type Terminal, terminal } from "@atomic/testing/terminal";
import { Sessions } from "../../src/sessions/sessions.ts";
import { pluginSource, projectFiles } from "./opencode-with-magnus.ts";
import * as agents from "./scripted-agents.ts";

const deadline = 90_000;
const isHere = process.platform === "linux";
if (!isHere) console.warn("skipped: OpenCode's terminal, because its screens were only recorded on Linux");

let model: ModelServer;
let project: Project;
let term: Terminal;

beforeAll(async () => {
  if (!isHere) return;
  model = await modelServer({ models: ["model-1"] });
  project = await tmpProject({ files: projectFiles });
  const config = opencodeConfig(model, { plugin: [pluginSource], autoupdate: false });
  await project.write("~/.config/opencode/opencode.json", config);
  term = await terminal([opencodeBinary], { cols: 120, rows: 60, cwd: project.dir, env: project.env });
  await term.waitFor("Ask anything", { deadline });
}, 120_000);
afterAll(async () => {
  if (!isHere) return;
  await term[Symbol.asyncDispose]();
  await project[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** A space after a command closes the list of commands, so Enter sends it. */
async function say(text: string): Promise<void> {
  term.type(text);
  await term.waitFor(text.slice(0, 30).trim(), { deadline });
  term.press("enter");
}

/** The screen without empty rows, and without what differs from run to run. */
function screen(): string {
  const rows = term.screen().filter((row) => row.trim() !== "");
  const [, day = "", time = "", chance = ""] = new Sessions(project.dir).list()[0]!.id.split("-");
  return rows
    .map((row) => row.trimEnd())
    .join("\n")
    .replaceAll(`${day}-${time}`, "<date>-<time>")
    .replaceAll(chance, "<chance>")
    .replaceAll(/(?:\d+m )?\d+(?:\.\d+)?m?s\b/g, "<duration>")
    .replaceAll(/\S*\/atomic-\w+\/project\S* +/g, "<project>  ");
}

/** A row of a toast, which OpenCode draws over the right edge. */
const toastRow = /┃( .* )┃ *$/;

/** What the toasts on the screen say, once one of them contains the text. */
async function toast(text: string): Promise<string> {
  await term.waitFor(text, { deadline });
  const rows = term.screen().flatMap((row) => toastRow.exec(row.slice(20))?.[1]?.trim() ?? []);
  return rows.filter((row) => row !== "").join("\n");
}

/** OpenCode writes how long it took below an answer that has ended. */
const endRow = /▣ {2}.* · .*\d(?:\.\d+)?m?s *$/;

/**
 * The whole screen, when all of the answer with this text is on it, nothing works any more, and the last toast is gone. OpenCode
 * draws an answer in pieces, and can stop saying that it works before it has drawn the last one.
 */
async function settled(text: string): Promise<string> {
  const isBusy = (row: string): boolean => row.includes("esc interrupt") || toastRow.test(row.slice(20));
  const isWhole = (rows: readonly string[]): boolean => {
    const at = rows.findLastIndex((row) => row.includes(text));
    return at >= 0 && rows.slice(at).some((row) => endRow.test(row));
  };
  const holds = ({ isInFrame, screen: lines }: Terminal): boolean => {
    const rows = lines();
    return !isInFrame && !rows.some(isBusy) && isWhole(rows);
  };
  await term.waitFor(holds, { deadline });
  return screen();
}

test.if(isHere)(
  "a refusal shows its reason, and all of it with a click",
  async () => {
    const refused = model.gate();
    model
      .expect(/Start a run with `magnus_start`/)
      .tool("magnus_start", { command: "implement", arguments: "" })
      .then.tool("magnus_next")
      .then.tool("write", { filePath: "src/early.ts", content: "early\n" })
      .then.wait(refused)
      .tool("task", agents.task("architect", "plan"))
      .then.tool("magnus_next")
      .then.reply("The plan is ready: please read it and type /approve.");
    agents.architect(model);
    await say("/implement a mutation that saves a profile --type=API_FOCUSED --skip-plan-review");
    expect(await toast("was refused")).toMatchSnapshot();
    await refused.reached();
    // The screen is drawn later: the refused call then has another color than one that was not.
    const colorOf = (text: string): string | undefined => {
      const place = term.find(text);
      return place && term.cell(place.x, place.y).fg;
    };
    await term.waitFor(() => colorOf("Write src/early.ts") !== colorOf("magnus_next"), { deadline });
    const { x, y } = term.find("Write src/early.ts")!;
    const at = `${x + 1};${y + 1}`;
    term.type(`\x1b[<0;${at}M\x1b[<0;${at}m`);
    await term.waitFor("To satisfy it", { deadline });
    refused.open();
    expect(await toast("Waiting for you")).toMatchSnapshot();
  },
  180_000,
);

test.if(isHere)(
  "/implement asks for the plan's approval",
  async () => {
    expect(await settled("The plan is ready")).toMatchSnapshot();
  },
  120_000,
);

test.if(isHere)(
  "the status is on one screen, once",
  async () => {
    term.resize(120, 30);
    model.expect(/typed `\/magnus-status/).reply(({ user }) => user.split("---\n").at(-1)!.trim());
    await say("/magnus-status ");
    expect(await settled("Waiting for:")).toMatchSnapshot();
  },
  120_000,
);

test.if(isHere)(
  "each phase is announced, and background agents show their progress",
  async () => {
    term.resize(120, 60);
    const [exploring, building] = [model.gate(), model.gate()];
    model
      .expect(/typed `\/approve/)
      .tool("magnus_next")
      .then.tool("background_task", {
        ...{ description: "find the callers", agent: "explorer", prompt: "Find the callers of saveProfile." },
      })
      .then.wait(building)
      .tool("task", agents.task("backend", "build"))
      .then.tool("magnus_next")
      .then.reply("Built; the review is next.");
    model.expect("Find the callers").wait(exploring).reply("There are two callers.");
    agents.testFirst(model);
    model.expect(/background_results/).reply("The explorer found two callers.");
    await say("/approve ");
    expect(await toast("Phase: Implementation")).toMatchSnapshot();
    exploring.open();
    expect(await toast("find the callers (explorer)")).toMatchSnapshot();
    building.open();
    expect(await toast("Phase: Code Review")).toMatchSnapshot();
    expect(await settled("found two callers")).toMatchSnapshot();
    model.verify();
  },
  180_000,
);

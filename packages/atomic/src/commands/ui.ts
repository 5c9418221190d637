import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import { type Interrupt, signalCodes } from "@atomic/terminal/exit-codes";
import { jsonLine } from "@atomic/terminal/json";
import { type AtomicCommand, liveCommandOf } from "../command.ts";
import { engineOption } from "../options.ts";
import { packageFolder } from "../package-folder.ts";
import { ResumedRuns } from "../page/run-actions.ts";
import { PageServer } from "../page/serve-page.ts";
import { runsOf } from "../runs/runs-folder.ts";

export const ui: AtomicCommand = liveCommandOf({
  name: "ui",
  summary: "Watch, understand and answer the project's runs in a browser",
  arguments: { run: { count: "maybe", summary: "Show this run first: its id or any unique prefix of it" } },
  options: {
    open: { kind: "flag", summary: "Also open the page in your browser" },
    engine: engineOption,
    json: { kind: "flag", summary: "Print one JSON document per line: each link when it becomes valid" },
  },
  details: [
    "The page is served on this machine only, on a free port, until you press Ctrl-C. A link works once, for one browser; when it has been used, the next one is printed. Nothing is loaded from elsewhere.",
    "Runs that you resume on the page work in this program's background and end with it; they can be resumed again.",
  ],
  examples: [
    { command: "atomic ui", shows: "Print a link to the page, and serve it until Ctrl-C." },
    { command: "atomic ui calm-otter --open", shows: "Open the page of this run in your browser." },
  ],
  live: async (context, { run, open, json, engine: given }) => {
    // Anyone who has the link can decide.
    refuseAgent(context.caller, "atomic ui");
    const { engine, where, find } = await runsOf(context, given);
    const at = run === undefined ? "" : `#/${await find(run)}/graph`;
    const program = [process.execPath, ...process.execArgv, join(packageFolder(), "bin/atomic.js")];
    await using resumed = new ResumedRuns(program, where.project);
    let isFirst = true;
    await using server = new PageServer({
      engine,
      now: () => context.now(),
      project: basename(where.project),
      script: readFileSync(join(packageFolder(), "dist/bundle/page.js"), "utf8"),
      resume: (words) => resumed.resume([...words, ...(given === undefined ? [] : ["--engine", given])]),
      onLink: (link) => {
        if (json) context.stdout.write(jsonLine({ ok: true, type: "link", link: link + at }));
        else context.stdout.write(`${isFirst ? "" : "For another browser: "}${link}${at}\n`);
        if (isFirst && open) openInBrowser(link + at);
        isFirst = false;
      },
    });
    const interrupted = new Promise<Interrupt>((resolve) => {
      context.signals.listen(resolve);
    });
    await server.listen();
    if (!json) context.stderr.write("The link works once; press Ctrl-C to stop.\n");
    return signalCodes[await interrupted];
  },
});

function openInBrowser(link: string): void {
  const commands: Partial<Record<NodeJS.Platform, readonly string[]>> = {
    darwin: ["open", link],
    win32: ["cmd", "/c", "start", "", link],
  };
  const [command = "", ...args] = commands[process.platform] ?? ["xdg-open", link];
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  // Without such a program, the printed link is there.
  child.once("error", () => undefined);
  child.unref();
}

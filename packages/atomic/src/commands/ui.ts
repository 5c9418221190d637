import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
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
    json: { kind: "flag", summary: "Print one JSON document per line: the link, and when a browser has used it" },
  },
  details: [
    "The page is served on this machine only, on a free port, until you press Ctrl-C. The link works once, for one browser; press Enter for another link. Nothing is loaded from elsewhere.",
    "Runs that you resume on the page run in the background and stop when this program stops; you can resume them again.",
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
    const print = (link: string): void =>
      json ? context.stdout.write(jsonLine({ ok: true, type: "link", link })) : context.stdout.write(`${link}\n`);
    const canAsk = !json && context.stdin.isTTY && isInForeground();
    await using server = new PageServer({
      engine,
      now: () => context.now(),
      project: basename(where.project),
      script: readFileSync(join(packageFolder(), "dist/bundle/page.js"), "utf8"),
      resume: (words) => resumed.resume([...words, ...(given === undefined ? [] : ["--engine", given])]),
      onAdmitted: () => {
        opened?.[Symbol.dispose]();
        if (json) context.stdout.write(jsonLine({ ok: true, type: "browser" }));
        else context.stderr.write(`A browser has used the link.${canAsk ? " Press Enter for another link." : ""}\n`);
      },
    });
    const interrupted = new Promise<Interrupt>((resolve) => {
      context.signals.listen(resolve);
    });
    const link = (await server.listen()) + at;
    print(link);
    if (!json) context.stderr.write("The link works once; press Ctrl-C to stop.\n");
    using opened = open ? openInBrowser(link) : undefined;
    // The terminal passes on whole lines. When it is gone, a signal ends this program.
    if (canAsk) {
      const { stdin } = process;
      stdin.on("data", () => print(server.newLink() + at)).on("error", () => undefined);
    }
    return signalCodes[await interrupted];
  },
});

/**
 * The link is in a file that only this user can read, not on a command line, which every user of this machine can. The file is
 * removed when this is disposed.
 */
function openInBrowser(link: string): Disposable {
  const folder = mkdtempSync(join(tmpdir(), "atomic-ui-"));
  const file = join(folder, "open.html");
  // What is in a link needs no escaping.
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${link}">\n`, { mode: 0o600 });
  const commands: Partial<Record<NodeJS.Platform, readonly string[]>> = {
    darwin: ["open", file],
    win32: ["cmd", "/c", "start", "", file],
  };
  const [command = "", ...args] = commands[process.platform] ?? ["xdg-open", file];
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  // Without such a program, the printed link is there.
  child.once("error", () => undefined);
  child.unref();
  return { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** In the background of a shell, reading from the terminal would stop this program. */
function isInForeground(): boolean {
  if (process.platform !== "linux") return true;
  const [, , group, , , terminalGroup] = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return group === terminalGroup;
}

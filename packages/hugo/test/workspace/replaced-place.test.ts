// `.opencode`, or a folder in it, becomes a link to elsewhere in the middle of a change.
import { expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { remove } from "../../src/commands/remove.ts";
import { undo } from "../../src/commands/undo.ts";
import { HugoError } from "../../src/errors.ts";
import { agent, type Hugo, hugoIn } from "../commands/hugo-project.ts";
import { treeOf } from "./tree.ts";

const CALLS = [
  ...[
    "closeSync",
    "cpSync",
    "existsSync",
    "fchmodSync",
    "fstatSync",
    "fsyncSync",
    "linkSync",
    "lstatSync",
    "mkdirSync",
  ],
  ...["openSync", "readFileSync", "readSync", "readdirSync", "readlinkSync", "renameSync", "rmSync", "rmdirSync"],
  ...["statSync", "symlinkSync", "unlinkSync", "writeSync"],
] as const;

async function interposed(n: number, happens: () => void, act: () => Promise<unknown>): Promise<number> {
  let calls = 0;
  const spies = CALLS.map((name) => {
    const real = Reflect.get(fs, name) as (...all: unknown[]) => unknown;
    return spyOn(fs, name as "statSync").mockImplementation(
      Object.assign((...all: unknown[]) => {
        calls += 1;
        if (calls === n) happens();
        return real(...all);
      }, real) as never,
    );
  });
  try {
    await act();
    return calls;
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** What Hugo keeps for itself, without effect on anything. */
const own = /^(?:\.hugo(?:$|\/))?(?:$|(?:store|bases|lock|staging)(?:\/|$)|waiting-|gone-|\.gitignore$)/;

const changes = [
  { change: "install", before: async () => undefined, act: (hugo: Hugo) => hugo.install("../package") },
  {
    change: "undo",
    before: async (hugo: Hugo) => {
      await hugo.install("../package");
      await remove.run(hugo.context, { global: false, dryRun: false, yes: false, name: ["package"] });
    },
    act: (hugo: Hugo) => undo.run(hugo.context, { global: false, dryRun: false, yes: false }),
  },
];

test.each(
  changes.flatMap((each) =>
    [".opencode", ".opencode/agents", ".opencode/.hugo"].map((replaced) => ({ ...each, replaced })),
  ),
)(
  "$replaced that becomes a link at any moment of hugo $change puts no file into use elsewhere",
  async ({ replaced, before, act }) => {
    await using project = await tmpProject({ git: false, files: { "opencode.json": "{}\n" } });
    await project.write("../package/agents/writer.md", agent("Writes."));
    const at = (path: string) => project.path(path);
    const hugo = hugoIn(project);
    const ends = new Set<string>();
    for (let n = 1; ; n += process.env.SWEEP === "full" ? 1 : 5) {
      for (const each of [".opencode", "../outside", "../moved"]) fs.rmSync(at(each), { recursive: true, force: true });
      await before(hugo);
      for (const each of [".opencode/agents", ".opencode/.hugo", "../outside/agents"]) {
        fs.mkdirSync(at(each), { recursive: true });
      }
      let end = "changed";
      const calls = await interposed(
        n,
        () => {
          fs.renameSync(at(replaced), at("../moved"));
          fs.symlinkSync(at("../outside"), at(replaced));
        },
        async () => {
          try {
            await act(hugo);
          } catch (error) {
            if (!(error instanceof HugoError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
            end = "refused";
          }
        },
      );
      if (calls < n) break;
      ends.add(end);
      const inUse = Object.keys(treeOf(at("../outside"))).filter((path) => path !== "agents" && !own.test(path));
      expect({ n, inUse }).toEqual({ n, inUse: [] });
    }
    expect(ends).toEqual(new Set(["changed", "refused"]));
  },
  600_000,
);

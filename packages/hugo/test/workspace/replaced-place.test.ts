// `.opencode`, or a folder in it, becomes a link to elsewhere in the middle of a change.
import { expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { keepingConfigs } from "../../src/commands/health.ts";
import { prune } from "../../src/commands/prune.ts";
import { remove } from "../../src/commands/remove.ts";
import { undo } from "../../src/commands/undo.ts";
import { HugoError } from "../../src/errors.ts";
import { placeFor } from "../../src/workspace/place.ts";
import { agent, type Hugo, hugoIn } from "../commands/hugo-project.ts";

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

/** What Hugo would clean up if they were its own. */
const HUGOS = ["store", "bases", "staging"].flatMap((name) => [name, `.hugo/${name}`]);

const changes = [
  {
    change: "install",
    writesAgents: true,
    before: async () => undefined,
    act: (hugo: Hugo) => hugo.install("../package"),
  },
  {
    change: "undo",
    writesAgents: true,
    before: async (hugo: Hugo) => {
      await hugo.install("../package");
      await remove.run(hugo.context, { global: false, dryRun: false, yes: false, name: ["package"] });
    },
    act: (hugo: Hugo) => undo.run(hugo.context, { global: false, dryRun: false, yes: false }),
  },
  {
    change: "prune",
    writesAgents: false,
    before: async (hugo: Hugo) => {
      await hugo.install("../package");
      await remove.run(hugo.context, { global: false, dryRun: false, yes: false, name: ["package"] });
    },
    act: (hugo: Hugo) => prune.run(hugo.context, { global: false, dryRun: false, yes: false, cache: false }),
  },
  {
    change: "health",
    writesAgents: false,
    before: async (hugo: Hugo) => {
      await hugo.install("../package");
      fs.writeFileSync(join(hugo.context.cwd, ".opencode/opencode.json"), "{}\n");
    },
    act: (hugo: Hugo) => {
      const place = placeFor(hugo.context, { global: false });
      return keepingConfigs(place, async () => {
        // What OpenCode does at its start; here it is not fooled by the link.
        const config = join(place.folder, "opencode.json");
        const added = '{\n  "$schema": "https://opencode.ai/config.json",}\n';
        if (!fs.readdirSync(place.root, { withFileTypes: true }).some((each) => each.isSymbolicLink()))
          fs.writeFileSync(config, added);
      });
    },
  },
];

test.each(
  changes.flatMap((each) =>
    [".opencode", ".opencode/.hugo", ...(each.writesAgents ? [".opencode/agents"] : [])].map((replaced) => ({
      ...each,
      replaced,
    })),
  ),
)(
  "$replaced that becomes a link at any moment of hugo $change puts nothing elsewhere",
  async ({ replaced, before, act }) => {
    await using project = await tmpProject({ git: false, files: { "opencode.json": "{}\n" } });
    await project.write("../package/agents/writer.md", agent("Writes."));
    const at = (path: string) => project.path(path);
    const hugo = hugoIn(project);
    const ends = new Set<string>();
    for (let n = 1; ; n += process.env.SWEEP === "full" ? 1 : 7) {
      for (const each of [".opencode", "../outside", "../moved"]) fs.rmSync(at(each), { recursive: true, force: true });
      await before(hugo);
      for (const each of [".opencode/agents", ".opencode/.hugo"]) fs.mkdirSync(at(each), { recursive: true });
      for (const each of ["agents", ...HUGOS]) await project.write(`../outside/${each}/kept`, "");
      const outside = (): unknown => fs.readdirSync(at("../outside"), { recursive: true }).sort();
      const kept = outside();
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
      expect({ n, outside: outside() }).toEqual({ n, outside: kept });
    }
    expect(ends).toEqual(new Set(["changed", "refused"]));
  },
  600_000,
);

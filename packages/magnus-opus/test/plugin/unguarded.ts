// The plugin and the command line without what holds an agent back, for the controls: an attempt that fails here as well
// proves nothing. The sources are changed while they are bundled; a change that does not fit any more throws.
import { join, resolve } from "node:path";
import { packageRoot } from "../../src/package-root.ts";

const changes: readonly { readonly file: RegExp; readonly from: string; readonly to: string }[] = [
  // Agents never had a shell, so nothing is held.
  {
    file: /run\/held\.ts$/,
    from: "  return state.visits.some(",
    to: "  return state.run === '' && state.visits.some(",
  },
  // The journal is trusted, no matter who wrote it.
  { file: /sessions\/journal\.ts$/, from: "this.#driver ? 0 : added.length", to: "added.length" },
  {
    file: /sessions\/journal\.ts$/,
    from: "      const ours = new Set(this.#records",
    to: `      this.#records = []; this.#seal = unsealed; this.#state = undefined; this.#take(records);
      if (this.#state !== undefined) return await this.#visit(events);
      const ours = new Set(this.#records`,
  },
  // Any number of processes drive it.
  {
    file: /sessions\/journal\.ts$/,
    from: "lock(`$" + "{journal}.driver`",
    to: "lock(`$" + "{journal}.driver-$" + "{process.pid}`",
  },
  // The shell may name the record and act on a person's behalf.
  {
    file: /run\/decide\.ts$/,
    from: "!asPerson.test(plain)",
    to: "!(plain === '' && asPerson.test(plain))",
  },
  { file: /run\/decide\.ts$/, from: "plain.includes(`$" + "{state.folder}/journal`)", to: "false" },
  // Everyone who types is a person.
  {
    file: /live\/magnus\.ts$/,
    from: "    const call = this.calls.find(id);",
    to: "    if (id !== '') return undefined;\n    const call = this.calls.find(id);",
  },
  // No caller is an agent.
  {
    file: /agent-at-keyboard\.ts$/,
    from: "  const own = variableOf(env);",
    to: "  if (env) return undefined;\n  const own = variableOf(env);",
  },
  // Once bundled, it is in another folder.
  {
    file: /src\/package-root\.ts$/,
    from: "dirname(fileURLToPath(import.meta.url))",
    to: JSON.stringify(packageRoot),
  },
];

const used = new Set<string>();

/** Changes that no bundle so far had a file for. */
export function unusedChanges(): readonly string[] {
  return changes.map(({ from }) => from).filter((from) => !used.has(from));
}

/** Bundles a source file of the package into a folder, with the changes. */
export async function unguarded(source: string, folder: string): Promise<string> {
  const { outputs, logs, success } = await Bun.build({
    entrypoints: [resolve(packageRoot, source)],
    target: "bun",
    conditions: ["bun"],
    plugins: [
      {
        name: "without guards",
        setup: (build) =>
          void build.onLoad(
            { filter: /(held|journal|decide|magnus|agent-at-keyboard|package-root)\.ts$/ },
            async ({ path }) => {
              let contents = await Bun.file(path).text();
              for (const { from, to } of changes.filter((change) => change.file.test(path))) {
                if (!contents.includes(from)) throw new Error(`${path} has no ${from}`);
                contents = contents.replace(from, () => to);
                used.add(from);
              }
              return { contents, loader: "ts" };
            },
          ),
      },
    ],
  });
  if (!success) throw new AggregateError(logs, `${source} could not be bundled`);
  const to = join(folder, source.replaceAll("/", "-").replace(/\.ts$/, ".js"));
  await Bun.write(to, await outputs[0]!.text());
  return to;
}

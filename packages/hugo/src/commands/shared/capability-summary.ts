// What a package can do, in few lines: one for each kind of power, with exact numbers and the most telling places. The
// details list everything.
import { count } from "@atomic/terminal/count";
import { agentRights, type Capability, REPLACED, rightLevels } from "../../packages/capability.ts";
import { readSignals } from "../../trust/capabilities/code-signals.ts";
import { leadsOutside } from "../../trust/capabilities/text-marks.ts";

/** What matters most comes first. */
export const groups = ["runs code", "shell", "network", "permissions", "names", "agents", "files"] as const;

export interface CapabilitySummary {
  /** By group; foreign text in the lines is not escaped yet. */
  readonly lines: Readonly<Record<(typeof groups)[number], readonly string[]>>;
  /** Nothing is only counted: the details would say no more. */
  readonly isComplete: boolean;
}

/** @param capabilities Sorted. */
export function summarize(capabilities: readonly Capability[]): CapabilitySummary {
  const list = new Countable(capabilities);
  const lines = {
    "runs code": codeLines(list),
    shell: shellLines(list),
    network: networkLines(list),
    permissions: permissionLines(list),
    names: nameLines(list),
    agents: agentLines(list),
    files: fileLines(list),
  };
  return { lines, isComplete: list.isComplete };
}

/** The room that a line of the report has on a screen of 80 columns. */
const LINE = 65;

/** More than this are counted one after the other. */
const MOST_DETAILS = 5;

type Test = (each: Capability) => boolean;

/** Capabilities to be named or, if there are many, counted. */
class Countable {
  isComplete = true;
  readonly #list: readonly Capability[];
  /** How many capabilities each file has: the one with the most is the one to look at. */
  readonly #weights = new Map<string, number>();

  constructor(list: readonly Capability[]) {
    this.#list = list;
    for (const { subject } of list) this.#weights.set(subject, (this.#weights.get(subject) ?? 0) + 1);
  }

  of(kind: Capability["kind"], test: Test = () => true): Capability[] {
    return this.#list.filter((each) => each.kind === kind && test(each));
  }

  /** `a, b and 3 more`: as many as fit into a line behind the text before them, but no more than `most`. */
  named(
    names: Iterable<string>,
    {
      most = 3,
      before = "",
      show = (name) => name,
    }: { most?: number; before?: string; show?(name: string): string } = {},
  ): string {
    const all = [...new Set(names)];
    for (let amount = Math.min(most, all.length); ; amount--) {
      const more = all.length - amount;
      const text = `${all.slice(0, amount).map(show).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
      if (amount > 1 && before.length + text.length > LINE) continue;
      if (more > 0) this.isComplete = false;
      return before + text;
    }
  }

  subjects(found: readonly Capability[]): string[] {
    const weight = (path: string): number => this.#weights.get(path) ?? 0;
    return [...new Set(found.map(({ subject }) => subject))].sort((a, b) => weight(b) - weight(a) || (a < b ? -1 : 1));
  }

  /** `a`, or `12 files, such as a`. The text before it takes some of the room. */
  inFiles(found: readonly Capability[], before = ""): string {
    const [first = "", ...others] = this.subjects(found);
    const amount = others.length === 0 ? "" : `${others.length + 1} files, such as `;
    if (amount !== "") this.isComplete = false;
    return amount + this.short(first, LINE - before.length - amount.length);
  }

  /** `skills/…/scripts/server.js`: where it belongs, and as much of the end as fits. */
  short(path: string, room: number): string {
    if (path.length <= room) return path;
    this.isComplete = false;
    const [first = "", ...folders] = path.split("/");
    let end = folders.pop() ?? "";
    if (folders.length === 0) return path;
    if (`${first}/…/${end}`.length > room) return `…/${end}`;
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (`${first}/…/${folder}/${end}`.length > room) break;
      end = `${folder}/${end}`;
    }
    return `${first}/…/${end}`;
  }

  /** A line for each of a few, or one for all. */
  each(one: string, many: string, found: readonly Capability[]): string[] {
    if (found.length <= 3) return found.map(({ subject, detail }) => `${one}: ${subject}, ${detail}`);
    const named = found.map(({ subject, detail }) => `${subject} (${detail})`);
    return [this.named(named, { before: `${count(found.length, one, many)}: ` })];
  }

  /** A line for each different detail, or one for many of them. */
  byDetail(found: readonly Capability[], most: number = MOST_DETAILS): string[] {
    const details = [...new Set(found.map(({ detail }) => detail))];
    const counted = details.map((detail) => [detail, found.filter((each) => each.detail === detail).length] as const);
    if (details.length > most && counted.some(([, files]) => files > 1)) {
      this.isComplete = false;
      const parts = counted.map(
        ([detail, files], index) => `${detail} (${index === 0 ? count(files, "file") : files})`,
      );
      return [`${parts.join(", ")}, such as ${this.short(this.subjects(found)[0] ?? "", LINE)}`];
    }
    return details.map((detail) => {
      const start = `${detail}: `;
      return (
        start +
        this.inFiles(
          found.filter((each) => each.detail === detail),
          start,
        )
      );
    });
  }
}

const NETWORK = ["uses the network", "opens a port", "adds MCP servers"];
const isTool: Test = ({ detail }) => detail.startsWith("tool ");
/** Such a hook could answer OpenCode's question in your place. */
const isPermission: Test = ({ detail }) => detail.startsWith("permission.");
const isExecutable: Test = ({ detail }) => detail === "executable";

function codeLines(list: Countable): string[] {
  const hooks = list.of("hook", (each) => !isTool(each) && !isPermission(each));
  const tools = list.of("hook", isTool);
  const registered = list.of("registers");
  const scripts = list.of("script");
  const scriptNames = new Set(scripts.map(({ subject }) => subject));
  // An executable script can do no more than any other script.
  const executables = list.of("executable", (each) => !isExecutable(each) || !scriptNames.has(each.subject));
  const loaded = list.of("dependency", ({ detail }) => detail === "loaded");
  const replaced = list.of("dependency", ({ detail }) => detail === REPLACED);
  const otherwise = list.of("dependency", ({ detail }) => detail !== "loaded" && detail !== REPLACED);
  const blocked = list.of("lifecycle");
  const names = (found: readonly Capability[]): string[] => found.map(({ subject }) => subject);
  const toolNames = new Set(tools.map(({ detail }) => detail.slice("tool ".length)));
  return [
    ...list.of("plugin-code").map(({ subject, detail }) => `${subject} ${detail}`),
    registered.length > 0 &&
      list.named(
        registered.map(({ detail }) => detail),
        { most: 6, before: "registers: " },
      ),
    ...list.each("workflow", "workflows", list.of("workflow")),
    hooks.length > 0 &&
      list.named(
        hooks.map(({ detail }) => detail),
        { most: 6, before: "hooks: " },
      ),
    tools.length > 0 && list.named(toolNames, { most: 6, before: `adds ${count(toolNames.size, "tool")}: ` }),
    scripts.length > 0 &&
      list.named(list.subjects(scripts), {
        most: 1,
        before: `${count(scripts.length, "script")} that agents can run: `,
        show: (path) => list.short(path, scripts.length === 1 ? 36 : 22),
      }),
    ...list.byDetail(list.of("code", ({ detail }) => !NETWORK.includes(detail))),
    ...list.byDetail([...executables, ...list.of("binary", isExecutable)]),
    replaced.length > 0 && list.named(names(replaced), { most: 4, before: `${REPLACED}: ` }),
    loaded.length > 0 &&
      list.named(names(loaded), { most: 4, before: `loads ${count(loaded.length, "other package")}: ` }),
    ...list.each("package under another name", "packages under another name", otherwise),
    blocked.length > 0 && list.named(names(blocked), { most: 7, before: "install scripts, which Hugo blocks: " }),
  ].filter((line) => line !== false);
}

/** As many command lines are shown; of more, the most suspicious. */
const MOST_SHELL = 4;

function shellLines(list: Countable): string[] {
  const shell = list.of("shell");
  const lines = [...new Set(shell.map(({ detail }) => detail))];
  if (lines.length <= MOST_SHELL) {
    return lines.map((line) => `${line} (${list.inFiles(shell.filter(({ detail }) => detail === line))})`);
  }
  list.isComplete = false;
  const marked = lines.map((line) => ({ line, marks: readSignals("x.sh", line).map(({ detail }) => detail) }));
  const marks = [...new Set(marked.flatMap((each) => each.marks))];
  const worst = marked.toSorted((a, b) => b.marks.length - a.marks.length).slice(0, MOST_SHELL);
  return [
    `${lines.length} command lines in ${list.inFiles(shell)}`,
    ...marks.map(
      (mark) => `${mark}: ${count(marked.filter((each) => each.marks.includes(mark)).length, "command line")}`,
    ),
    ...worst.map(({ line }) => line),
    `and ${count(lines.length - worst.length, "more command line")}`,
  ];
}

function networkLines(list: Countable): string[] {
  const isRemote: Test = ({ detail }) => /^[a-z]+:\/\//i.test(detail);
  const isInCode: Test = ({ subject }) => subject.startsWith("in ");
  const inCode = (one: string, many: string, found: readonly Capability[]): string[] => {
    const order = (detail: string): number => (detail.startsWith("…") ? 1 : 0);
    // Those that name their program come first.
    const details = new Set(found.map(({ detail }) => detail).toSorted((a, b) => order(a) - order(b)));
    if (details.size === 0) return [];
    // Of many addresses, the host says enough.
    const show = (detail: string): string =>
      details.size > 1 ? detail.replace(/^([a-z]+:\/\/[^/]+)\/.+/i, "$1/…") : detail;
    return [list.named(details, { most: 1, before: `${count(details.size, one, many)} in its code: `, show })];
  };
  return [
    ...list.byDetail(
      NETWORK.flatMap((name) => list.of("code", ({ detail }) => detail === name)),
      2,
    ),
    ...list.each(
      "MCP server",
      "MCP servers",
      list.of("mcp", (each) => !isInCode(each) && !isRemote(each)),
    ),
    ...list.each(
      "remote MCP server",
      "remote MCP servers",
      list.of("mcp", (each) => !isInCode(each) && isRemote(each)),
    ),
    ...inCode(
      "command line",
      "command lines",
      list.of("mcp", (each) => isInCode(each) && !isRemote(each)),
    ),
    ...inCode(
      "address",
      "addresses",
      list.of("mcp", (each) => isInCode(each) && isRemote(each)),
    ),
  ];
}

/** An update that widens more is rare; the names of the other agents are shown. */
const MOST_WIDER = 6;

function permissionLines(list: Countable): string[] {
  const hooks = list.of("hook", isPermission);
  const wider = list.of("agent", ({ rights }) => rights === undefined);
  const others = wider.slice(MOST_WIDER);
  return [
    ...(hooks.length === 0 ? [] : [`hooks: ${list.named(hooks.map(({ detail }) => detail))} (${list.inFiles(hooks)})`]),
    ...wider.slice(0, MOST_WIDER).map(({ subject, detail }) => `${subject}: ${detail}`),
    ...(others.length === 0
      ? []
      : [list.named(list.subjects(others), { most: 6, before: `and ${others.length} more: ` })]),
  ];
}

function nameLines(list: Countable): string[] {
  const taken = list.of("name");
  if (taken.length <= 3) return taken.map(({ detail }) => detail);
  return [list.named(list.subjects(taken), { before: `takes ${taken.length} names that others have: ` })];
}

function agentLines(list: Countable): string[] {
  const agents = list.of("agent", ({ rights }) => rights !== undefined);
  if (agents.length <= 3) return agents.map(({ subject, detail }) => `${subject}: ${detail}`);
  list.isComplete = false;
  // Rights that as many agents have share a line.
  const rightsBy = new Map<string, string[]>();
  for (const right of agentRights) {
    const amounts = rightLevels.flatMap((level) => {
      const { length } = agents.filter(({ rights }) => rights?.[right] === level);
      return length === 0 ? [] : [`${length === agents.length ? "all" : length} ${level}`];
    });
    const who = amounts.length === 0 ? "none" : amounts.join(", ");
    rightsBy.set(who, [...(rightsBy.get(who) ?? []), right]);
  }
  return [
    list.named(
      agents.map(({ subject }) => subject),
      { before: `${agents.length} agents: ` },
    ),
    ...[...rightsBy].map(([who, rights]) => `${rights.join(", ")}: ${who}`),
  ];
}

function fileLines(list: Countable): string[] {
  const details = (found: readonly Capability[]): string => list.named(found.map(({ detail }) => detail));
  const read = (where: string, found: readonly Capability[]): string[] =>
    found.length === 0 ? [] : [`put into a prompt, from ${where}: ${details(found)}`];
  const inserted = (what: string, found: readonly Capability[]): string[] => {
    const start = `may insert ${what}: ${details(found)} (`;
    return found.length === 0 ? [] : [`${start}${list.inFiles(found, start)})`];
  };
  const isVariable: Test = ({ detail }) => /^\{env:/i.test(detail);
  return [
    ...read(
      "outside the project",
      list.of("file", ({ detail }) => leadsOutside(detail)),
    ),
    ...read(
      "the project",
      list.of("file", ({ detail }) => !leadsOutside(detail)),
    ),
    ...inserted("environment variables", list.of("substitution", isVariable)),
    ...inserted(
      "files",
      list.of("substitution", (each) => !isVariable(each)),
    ),
    ...list.byDetail(list.of("hidden")).map((text) => `hidden characters, ${text}`),
    ...list.byDetail(list.of("binary", (each) => !isExecutable(each))),
  ];
}

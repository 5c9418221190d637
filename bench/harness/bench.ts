/** What a bench file says: who runs side by side, who is the baseline, and what we claim about them. */

/** The private folder of one contestant in one round: empty at the start, deleted at the end. */
export interface Round {
  readonly dir: string;
}

export type Metric = "wall" | "cpu" | "rss";

/** "My median ratio to `of`, paired by round, is at most `atMost`." */
export interface RatioClaim {
  readonly of: string;
  readonly atMost: number;
  readonly metric?: Metric;
}

interface Entry {
  readonly name: string;
  /** Drawn in the accent colour. */
  readonly ours?: boolean;
  readonly expectRatio?: RatioClaim | readonly RatioClaim[];
  /** Before the clock starts, in every round. */
  readonly setup?: (round: Round) => unknown;
  /** Runs after the clock stopped: throw if the work was not done, so a no-op never looks fast. */
  readonly check?: (round: Round, result: unknown) => unknown;
  readonly teardown?: (round: Round) => unknown;
}

/** An external program, started once a round. */
export interface CommandContestant extends Entry {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the folder of the round. */
  readonly cwd?: string;
  /** Its last line is its sample, of the part of its work that counts. For what takes long to prepare, or runs on Node. */
  readonly measuresItself?: boolean;
}

/** A function called once in a fresh process. */
export interface RunContestant extends Entry {
  readonly run: (round: Round) => unknown;
}

/** A very short function, called in a loop in a fresh process; the figures are per call. */
export interface MicroContestant extends Entry {
  readonly micro: (round: Round) => unknown;
}

export type Contestant = CommandContestant | RunContestant | MicroContestant;

/** Contestants that do the same job and are compared with each other. */
export interface Group {
  readonly title: string;
  readonly baseline: string;
  readonly contestants: readonly Contestant[];
  /** Also show the CPU time that each adds to the baseline, paired by round. */
  readonly showAdded?: boolean;
}

export interface Bench {
  readonly title: string;
  /** A few sentences for the report: what is compared, and what the figures do not say. */
  readonly about: string;
  readonly groups: readonly Group[];
  readonly rounds?: number;
  readonly warmups?: number;
  /** Versions of the peers, for the report. */
  readonly versions?: Readonly<Record<string, string>>;
}

/** Checks the names that the contestants call each other by; a bench file exports the result as its default. */
export function bench(definition: Bench): Bench {
  if (definition.groups.length === 0) throw new Error(`bench "${definition.title}" has no group of contestants`);
  for (const group of definition.groups) checkNames(group);
  return definition;
}

function checkNames(group: Group): void {
  const names = group.contestants.map((contestant) => contestant.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`group "${group.title}" has two contestants named "${twice}"`);
  mustBeOneOf(group, names, "baseline", group.baseline);
  for (const contestant of group.contestants) {
    for (const { of } of claimsOf(contestant)) mustBeOneOf(group, names, `expectRatio.of of "${contestant.name}"`, of);
  }
}

export function claimsOf({ expectRatio = [] }: Contestant): readonly RatioClaim[] {
  return "of" in expectRatio ? [expectRatio] : expectRatio;
}

function mustBeOneOf(group: Group, names: readonly string[], what: string, name: string): void {
  if (names.includes(name)) return;
  throw new Error(`group "${group.title}": ${what} is "${name}", but the contestants are ${names.join(", ")}`);
}

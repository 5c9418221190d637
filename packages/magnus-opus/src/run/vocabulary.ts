// Words about what users see, and words about what is stored and served. Weight 1 decides alone; lower weights only add up.

export type Side = "ui" | "api";
interface Term {
  readonly side: Side;
  readonly weight: number;
}

const words: readonly (readonly [Side, number, string])[] = [
  [
    "ui",
    1,
    `ui ux frontend component page layout figma style styling stylesheet css tailwind button form modal dialog navbar navigation sidebar
    footer responsive animation animate hover tooltip toast dropdown menu drawer carousel card tab icon avatar theme screen widget
    banner badge accordion popover popup skeleton spinner typography font color colour spacing gradient contrast accessibility a11y
    wcag aria breadcrumb grid thumbnail gallery lightbox chart canvas pixel stepper wizard checkbox slider illustration logo
    visual visually redesign restyle hero headline storybook markup viewport kanban dashboard transition input radio toggle
    picker overlay shadcn bubble emoji kerning ellipsis unstyled`,
  ],
  [
    "ui",
    0.7,
    `svelte sveltekit header view design look panel browser safari firefox scroll click drag shortcut keyboard focus mobile phone
    desktop tablet ipad align misaligned corner loader indicator editor calendar bell heart landing route switch column dim fade
    title heading label section area collapse collapsible center margin padding bar row player zone marker pointer`,
  ],
  ["ui", 0.4, "show display image list map render resize clipboard screenshot print palette visitor"],
  [
    "api",
    1,
    `api endpoint backend mutation query schema database db convex cron webhook crud validator migration backfill graphql trpc sql
    postgres resolver idempotent idempotency denormalize normalize transaction scheduler worker procedure`,
  ],
  [
    "api",
    0.8,
    `server index storage handler job scheduled queue http authorization throttle retry batch serverside aggregate encrypt purge
    deduplicate oauth`,
  ],
  [
    "api",
    0.6,
    `table function migrate validate document record cursor paginate pagination persist store cache token argument ownership stripe
    service seed sync foreign`,
  ],
  [
    "api",
    0.4,
    "field action save return data session permission authentication email log write compute count id fetch tenant",
  ],
];

/** Words that mean something else together. `undefined`: they mean nothing here. */
const phrases: readonly (readonly [Term | undefined, string])[] = [
  [
    { side: "ui", weight: 1 },
    `media query, container query, index page, z index, call to action, front end, design system, design token,
    table component, data table, empty state, loading state, dark mode, error page, loading indicator,
    progress bar, search bar, tab bar, drag and drop, line height, focus ring, screen reader, command palette,
    side panel, infinite scroll, first paint, form action`,
  ],
  [
    { side: "api", weight: 1 },
    `back end, http action, internal action, convex action, server action, server side, rate limit, file storage,
    data model, cron job, scheduled function, internal function, public function, full text, row level security,
    signed url, server function, background worker, batch job`,
  ],
  [{ side: "api", weight: 0.6 }, `key header, api key, access token, business logic, audit log`],
  [undefined, "take action, action plan, search query, look for, look at, gift card, credit card, debit card"],
];

const terms: ReadonlyMap<string, Term> = new Map(
  words.flatMap(([side, weight, list]) => list.split(/\s+/).map((word) => [stem(word), { side, weight }] as const)),
);
const longest = 4;
const stemmedPhrases: ReadonlyMap<string, Term | undefined> = new Map(
  phrases.flatMap(([term, list]) =>
    list.split(/,\s+/).map((phrase) => [phrase.split(" ").map(stem).join(" "), term] as const),
  ),
);

export interface FoundTerm extends Term {
  readonly text: string;
  readonly length: number;
}

/** Words that a stack adds, each as strong as the vocabulary's strongest. */
export type StackWords = Readonly<Partial<Record<Side, string | undefined>>>;

export function stackTerms({ ui = "", api = "" }: StackWords): ReadonlyMap<string, Term> {
  const listed = Object.entries({ ui, api }) as [Side, string][];
  return new Map(
    listed.flatMap(([side, list]) =>
      list
        .split(/\s+/)
        .filter((word) => word !== "")
        .map((word) => [stem(word.toLowerCase()), { side, weight: 1 }] as const),
    ),
  );
}

/** The longest term that begins at this word. A name like `listInvoices` or `getUser` is a function. */
export function termAt(
  wordsHere: readonly string[],
  at: number,
  more: ReadonlyMap<string, Term> = new Map(),
): FoundTerm | undefined {
  for (let length = longest; length > 1; length--) {
    const part = wordsHere.slice(at, at + length);
    const phrase = part.map((word) => stem(word.toLowerCase())).join(" ");
    if (part.length < length || !stemmedPhrases.has(phrase)) continue;
    const term = stemmedPhrases.get(phrase);
    return { side: "ui", weight: 0, ...term, text: part.join(" ").toLowerCase(), length };
  }
  const word = wordsHere[at]!;
  if (word.toLowerCase() === "them") return undefined; // not a theme
  if (/^(get|list|create|update|delete|remove|fetch|set)[A-Z]\w+$/.test(word)) {
    return { side: "api", weight: 1, text: word, length: 1 };
  }
  const term = more.get(stem(word.toLowerCase())) ?? terms.get(stem(word.toLowerCase()));
  return term && { ...term, text: word.toLowerCase(), length: 1 };
}

/** A rough stem of an English word, used for the vocabulary and for lookups in it. */
export function stem(word: string): string {
  const singular = word
    .replace(/ies$/, "y")
    .replace(/(x|ch|sh|ss)es$/, "$1")
    .replace(/([^su])s$/, "$1");
  const base = singular.length > 5 ? singular.replace(/(?:ing|ed)$/, "") : singular;
  const bare = base.length > 3 ? base.replace(/e$/, "") : base;
  return bare.replace(/([^aeiou])\1$/, "$1");
}

/** Words that say nothing about what to build: grammar, and words about work on any project. */
const vague: ReadonlySet<string> = new Set(
  `the and for our your their its this that these those with without from into onto over under about when where while what which who whom
  how why not are was were been being has have had can could should would will shall may might must able way ways each other some any all
  also just only more most less very too than then there here they them him her you let lets get gets put out off via per
  add adds added adding make makes making made one ones build builds built implement create creates do does did done use uses used using need needs want wants
  improve better best nice good great cool fix fixes fixed fixing set sets up support enable allow write take show give keep try start
  thing things something anything everything stuff feature features function functionality system product project projects app apps
  application site sites website code codebase repo repository file files part parts work works working
  issue issues bug bugs error errors problem problems wrong crash crashes sometimes slow faster fast performance performant speed
  test tests testing coverage documentation docs document spec described describe information info capital
  refactor clean cleanup rewrite rebuild scratch everywhere upgrade update migrate version versions framework library dependency
  dependencies release releases deploy production ready prepare pipeline reproducible investigate memory leak infrastructure
  expenditure reduce action plan plans retrospective talked talk open happy raise
  onboarding analytics team teams payment payments subscription subscriptions tenancy multi internationalization localization
  compliant compliance strict mode typescript javascript handling timezone workspace complain users
  guide reaction therapist pagent log new old whole`.split(/\s+/),
);
/** Short stems are those of other words, too: "not" and "notes". */
const isLong = (stemmed: string): boolean => stemmed.length >= 5;
const vagueStems: ReadonlySet<string> = new Set([...vague].map(stem).filter(isLong));

/** The words that name something to build, without repetitions. */
export function featureWords(words: readonly string[]): readonly string[] {
  const named = words
    .map((word) => word.toLowerCase())
    .filter((word) => /^\p{L}{3,}/u.test(word) && !vague.has(word) && !vagueStems.has(stem(word)));
  return [...new Map(named.map((word) => [stem(word), word])).values()];
}

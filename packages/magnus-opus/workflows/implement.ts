// The phases of `/implement` as a graph, for a terminal or a server. It shares the phase table, gates and limits with OpenCode.
// Agents are asked only where the table allows it; approvals are questions to a person.
import { existsSync } from "node:fs";
import {
  agentNode,
  append,
  askUserNode,
  decisionNode,
  defineGraph,
  last,
  type NodeDefinition,
  promptFile,
  toolNode,
} from "@atomic/workflows";
import type { GraphSteps } from "../src/graph/steps.ts";

type Event = Parameters<GraphSteps["settle"]>[0][number];
type Phase = GraphSteps["phaseNames"][number];
type Role = ReturnType<GraphSteps["rolesOf"]>[number];

/** What the nodes see. */
interface State {
  readonly events: readonly Event[];
  readonly problem: string;
  readonly error?: { readonly message: string };
}

// A clone has the sources, and Bun can read them; an installed package has their bundle.
const source = new URL("../src/graph/steps.ts", import.meta.url);
const bundle = new URL("../dist/bundle/graph.js", import.meta.url);
const isClone = "Bun" in globalThis && existsSync(source);
const { default: steps } = (await import((isClone ? source : bundle).href)) as { default: GraphSteps };

/** Before the names of our agents, if Hugo has installed them: yours may have the same names, and would be asked instead. */
const [, folder] = /\/([^/]+)\/\.hugo\/store\//.exec(import.meta.url) ?? [];
const origin = folder === undefined ? "" : folder === ".opencode" ? "hugo:project/" : "hugo:user/";

/** A limit for all phases together; each phase also has its own. */
const mostTurns = 500;

export default defineGraph(
  {
    name: "implement",
    description: "Builds a feature: plan, your approval, code, reviews, tests, your acceptance.",
    argumentHint: "<feature> | --type <type> | --figma <url> | --skip-plan-review",
    arguments: {
      feature: { type: "rest", required: true, description: "What to build" },
      type: { type: "string", value: "type", description: "UI_FOCUSED, API_FOCUSED or MIXED; found out without it" },
      figma: { type: "string", value: "url", description: "The design" },
      skipPlanReview: { type: "boolean", description: "Leave the review of the plan out" },
    },
    state: { events: append<Event>(), problem: last("") },
  },
  (graph) =>
    graph
      .start(
        toolNode({
          id: "begin",
          run: ({ input }, { idemKey }) => steps.begin(input, process.cwd(), idemKey),
          output: (events) => ({ events: events as unknown as readonly Event[] }),
        }),
      )
      .loop(
        [
          decisionNode<State>({
            id: "phase",
            routes: steps.phaseNames.map((phase) => ({
              label: phase,
              when: ({ events }) => steps.phaseOf(events) === phase,
              nodes: steps.rolesOf(phase).flatMap((role) => delegation(phase, role)),
            })),
          }),
          eventsOf("tests", ({ events }, { signal }) => steps.test(events, signal)),
          eventsOf("settle", ({ events }) => steps.settle(events)),
          decisionNode<State>({
            id: "person",
            routes: [{ label: "waits", when: ({ events }) => steps.waits(events), nodes: asking() }],
          }),
        ],
        { id: "phases", until: ({ events }) => steps.isOver(events), maxIterations: mostTurns, onIncomplete: "fail" },
      )
      .then(toolNode<State>({ id: "finish", run: ({ events }) => steps.finish(events) })),
);

/** Asks an agent if the phase table and the gates allow it now. */
function delegation(phase: Phase, role: Role): readonly NodeDefinition<State>[] {
  const id = `${phase}-${role}`;
  return [
    eventsOf(`${id}-ask`, ({ events }) => steps.ask(events, phase, role)),
    decisionNode<State>({
      id: `${id}-may`,
      routes: [
        {
          label: "asked",
          when: ({ events }) => steps.isAsked(events, phase, role),
          nodes: agentNode<State>({
            id,
            agent: `${origin}${role}`,
            prompt: promptFile(new URL(`./implement/${phase}.md`, import.meta.url), ({ events }) =>
              steps.promptValues(events, role),
            ),
            output: async (text, { events }) => ({ events: await steps.replied(events, role, text) }),
            onError: eventsOf(`${id}-failed`, ({ events, error }) => steps.failed(events, role, error?.message ?? "")),
          }),
        },
      ],
    }),
  ];
}

/** What only a person can decide. */
function asking(): readonly NodeDefinition<State>[] {
  return [
    askUserNode<State>({
      id: "decide",
      question: ({ events, problem }) => steps.question(events, problem),
      output: (answer, { events }) => steps.answered(events, String(answer)),
    }),
  ];
}

type Act = (state: State, info: { readonly signal: AbortSignal }) => readonly Event[] | Promise<readonly Event[]>;

/** A step that outputs events. */
function eventsOf(id: string, run: Act): NodeDefinition<State> {
  return toolNode<State>({ id, run, output: (events) => ({ events: events as unknown as readonly Event[] }) });
}

import type { Command } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { askOpencode } from "../plugin/doctor/ask-opencode.ts";
import { diagnose, type Finding } from "../plugin/doctor/diagnose.ts";
import { gatherFacts } from "../plugin/doctor/gather-facts.ts";
import type { MagnusContext } from "./command.ts";

const options = {
  static: { kind: "flag", summary: "Do not start OpenCode (which runs this project's plugins)" },
  opencode: { kind: "text", value: "program", summary: "The OpenCode to ask (default: the one on your PATH)" },
} as const;

interface Diagnosis {
  readonly directory: string;
  readonly opencode: string;
  readonly findings: readonly Finding[];
}

const marks = { ok: ["✓", "green"], note: ["·", "dim"], degraded: ["✗", "red"] } as const;

export const doctorCommand: Command<MagnusContext, Record<never, never>, typeof options, Diagnosis> = {
  name: "doctor",
  summary: "Check what works in this project, and how to fix what does not",
  details: [
    "It starts OpenCode in the project, asks what it has loaded, and ends it; no model is called, and nothing is written.",
    "It checks OpenCode, the settings, the stack, the agents and what they may do, providers and models, MCP servers, the test command, and the folders that a run writes to.",
  ],
  arguments: {},
  options,
  examples: [
    { command: "magnus-opus doctor", shows: "Show what works, what is degraded and why, and the fix." },
    { command: "magnus-opus doctor --static", shows: "Check everything but what OpenCode loads, without starting it." },
    { command: "magnus-opus doctor --json", shows: "Show the findings as JSON." },
  ],
  run: async ({ project, env }, input) => {
    const { directory } = project();
    const opencode = input.static
      ? ({ kind: "not-asked" } as const)
      : await askOpencode(directory, env, input.opencode);
    const facts = await gatherFacts(directory, env.PATH, opencode);
    return { directory, opencode: opencode.kind, findings: diagnose(facts) };
  },
  report: {
    text: ({ directory, findings }, page) => {
      const paint = painter(page.colour);
      const bad = findings.filter(({ status }) => status === "degraded").length;
      const lines = findings.flatMap((finding) => {
        const [mark, colour] = marks[finding.status];
        const what = paragraph(safeLine(finding.what), page, { lead: `  ${paint(colour, mark)} `, indent: "    " });
        if (finding.status !== "degraded") return [what];
        return [what, paragraph(safeLine(finding.fix), page, { lead: `    ${paint("dim", "fix:")} `, indent: "    " })];
      });
      const verdict = bad === 0 ? "Everything works." : `${count(bad, "problem")} found.`;
      return [
        paragraph(safeLine(directory), page, { lead: "Magnus Opus in ", indent: "  " }),
        ...lines,
        `${verdict}\n`,
      ].join("");
    },
    notes: () => "",
    json: ({ directory, opencode, findings }) => ({ directory, opencode, findings }),
    exitCode: ({ opencode, findings }) => {
      if (opencode === "absent" || opencode === "silent") return 6;
      return findings.some(({ status }) => status === "degraded") ? 1 : 0;
    },
    error: ({ findings }) => {
      const [first] = findings.filter((finding) => finding.status === "degraded");
      const hint = first?.status === "degraded" ? first.fix : undefined;
      return { code: "degraded", message: first?.what ?? "", hint };
    },
  },
};

// Words about runs: pure functions, as tables.
import { describe, expect, test } from "bun:test";
import { jsonLine } from "@atomic/terminal/json";
import { agentNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { graph } from "@atomic/workflows/internal/graph/builder";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";
import { setupOf, setupToJson } from "../../src/runs/run-setup.ts";
import { noteText } from "../../src/view/progress.ts";
import { questionText, suggestionLines } from "../../src/view/questions.ts";
import { damageOf, describeStatus, exitCodeOf, nextStep, statusColour, statusWord } from "../../src/view/run-status.ts";
import {
  answerPieces,
  outputPieces,
  resultPieces,
  summaryBelowLines,
  summaryBelowPicture,
} from "../../src/view/run-summary.ts";
import { TestJournal } from "./journal.ts";

const owner = { pid: 1, host: "here" };
const date = new Date(2026, 0, 2, 3, 4, 5).getTime();
const error = { name: "Error", message: "no disk", key: "build" };
const exceeded = { limit: "usd", allowed: 5, spent: 5 } as const;
const page = { colour: false };

const statuses: readonly (readonly [RunStatus, string, string, number, string | undefined])[] = [
  [{ kind: "pending" }, "not being worked on", "idle", 1, "atomic resume r"],
  [{ kind: "running", owner }, "running", "running", 1, undefined],
  [{ kind: "interrupted", owner }, "interrupted: its process is gone", "interrupted", 1, "atomic resume r"],
  [{ kind: "waiting", owner, for: [{ kind: "signal", key: "a" }] }, "waiting for an answer", "waiting", 4, undefined],
  [
    {
      kind: "waiting",
      owner,
      for: [
        { kind: "signal", key: "a" },
        { kind: "signal", key: "b" },
      ],
    },
    "waiting for 2 answers",
    "waiting",
    4,
    undefined,
  ],
  [
    { kind: "waiting", owner, for: [{ kind: "date", key: "a", until: date }] },
    "waiting until 2026-01-02 03:04:05",
    "waiting",
    4,
    undefined,
  ],
  [
    { kind: "paused", reason: "rate limit", until: date, ms: 1 },
    "paused until 2026-01-02 03:04:05: rate limit",
    "paused",
    1,
    undefined,
  ],
  [
    { kind: "stopped", exceeded, reason: "$5.00 of $5.00 used" },
    "stopped: $5.00 of $5.00 used",
    "stopped",
    5,
    "atomic resume r --budget-usd <more>",
  ],
  [{ kind: "cancelling" }, "cancelling", "cancelling", 8, undefined],
  [{ kind: "cancelled", at: 1 }, "cancelled", "cancelled", 8, undefined],
  [{ kind: "done", result: { value: null }, at: 1 }, "done", "done", 0, undefined],
  [{ kind: "failed", error, at: 1 }, "failed: build: no disk", "failed", 1, "atomic resume r --retry"],
  [
    { kind: "failed", error: { ...error, code: "login-missing" }, at: 1 },
    "failed: build: no disk",
    "failed",
    6,
    "atomic resume r --retry",
  ],
  [{ kind: "damaged", reason: "Record 3 …" }, "damaged: Record 3 …", "damaged", 1, undefined],
];

test.each([
  [
    "Record 3 of the journal /my boat/.atomic/runs/r/journal.jsonl (line 3) is damaged",
    "Record 3 of the journal (line 3) is damaged",
  ],
  [
    "Record 1 of the inbox /r/.atomic/runs/r/inbox.jsonl is not a message",
    "Record 1 of the inbox inbox.jsonl is not a message",
  ],
  ["Record 2 of the run r cannot be read", "Record 2 of the run r cannot be read"],
  ["its journal is empty or is not a journal", "its journal is empty or is not a journal"],
])("a list of runs says %s without the folder", (reason, shown) => {
  expect(damageOf("r", reason)).toBe(shown);
});

describe("a status", () => {
  test.each(statuses)("%j is %s", (status, text, word, code, next) => {
    expect(describeStatus(status)).toBe(text);
    expect(statusWord(status)).toBe(word);
    expect(exitCodeOf(status)).toBe(code as never);
    expect(nextStep({ runId: "r", status: status } as never)).toBe(next as string);
    expect(["green", "red", "cyan", "dim", "yellow"]).toContain(statusColour(status));
  });

  test.each([
    ["tokens", "--budget-tokens"],
    ["wallMs", "--max-time"],
    ["steps", "--max-steps"],
  ] as const)("that has used up its %s can be resumed with %s", (limit, flag) => {
    const status = { kind: "stopped", exceeded: { limit, allowed: 1, spent: 1 }, reason: "" } as const;
    expect(nextStep({ runId: "r", status: status } as never)).toContain(flag);
  });
});

test.each([
  ["plain", "plain"],
  ["first\nsecond\n\n", "second"],
  [{ type: "text", text: "a\nb" }, "b"],
  [{ type: "tool-started", tool: "bash", input: { command: "npm test", description: "x" } }, "bash npm test"],
  [{ type: "tool-started", tool: "read", input: "a.ts" }, "read a.ts"],
  [{ type: "tool-started", tool: "list", input: null }, "list"],
  [{ type: "tool-ended", tool: "bash", ok: true }, "bash is done"],
  [{ type: "tool-ended", tool: "bash", ok: false }, "bash failed"],
  [{ type: "session-replaced", id: "x" }, ""],
  [{ type: "host-starting", host: "opencode" }, "starting opencode; the first start takes longer"],
  [{ type: "host-starting", host: "claude" }, "starting claude"],
  [{ type: "retrying", reason: "Overloaded" }, "the model's provider failed; trying again: Overloaded"],
  [["a", "list"], ""],
  [7, ""],
  [null, ""],
  [undefined, ""],
  ["x".repeat(300), `${"x".repeat(200)}…`],
] as const)("the note %j is shown as %j", (note, text) => {
  expect(noteText(note as Json)).toBe(text);
});

test.each([
  [{ a: "\x1b[31m" }, '{"a":"\\u001b[31m"}\n'],
  [{ a: "\u202eb\u{e0041}" }, '{"a":"\\u202eb\\udb40\\udc41"}\n'],
  [{ a: "日本\n" }, '{"a":"日本\\n"}\n'],
])("%j becomes one terminal-safe line with the same JSON value", (document, line) => {
  expect(jsonLine(document)).toBe(line);
  expect(JSON.parse(jsonLine(document))).toEqual(document);
});

describe("a question", () => {
  const question = {
    key: "a",
    kind: "choice",
    text: "Which \x1b[31m one?",
    header: "DB",
    options: [{ label: "SQLite", description: "one\nfile" }, { label: "Post\x07gres" }],
    multiple: false,
    until: date,
  } as const;

  test("is shown with its options and deadline, with control characters escaped", () => {
    expect(questionText(question, page)).toBe(
      "? DB Which \\x1b[31m one?\n  1 SQLite  one file\n  2 Post\\x07gres\n  until 2026-01-02 03:04:05\n",
    );
  });

  test("that is long wraps between words", () => {
    const lines = questionText({ ...question, text: "word ".repeat(20), options: [] }, { columns: 30, colour: false });
    for (const line of lines.split("\n")) expect(line.length).toBeLessThanOrEqual(30);
  });

  test("has commands with aligned comments", () => {
    const commands = [
      { command: "atomic a", does: "yes" },
      { command: "atomic abc", does: "no" },
      { command: "atomic x", does: "" },
    ];
    expect(suggestionLines(commands, page)).toBe("    atomic a    # yes\n    atomic abc  # no\n    atomic x\n");
  });
});

describe("the end of a run", () => {
  const journal = (): TestJournal =>
    new TestJournal(
      graph({ name: "ship" })
        .start(waitNode({ id: "approval", prompt: "?" }))
        .then(agentNode({ id: "sum", prompt: "x" })),
    ).after(2);
  const done: RunStatus = { kind: "done", at: 1, result: { value: { state: {}, outputs: {} } } };
  const unsafe = "\x1b[2J\u200f\r\ufeff";
  test.each<[Json | undefined, string, string?]>([
    [`a\n  b ${unsafe}\n\n`, "a\n  b \\x1b[2J\\u{200f}\n", `a\n  b ${unsafe}\n\n`],
    ["no line break", "no line break\n"],
    ["two\r\n", "two\n", "two\r\n"],
    ["  ", "", "  \n"],
    ["\n", "", "\n"],
    ["", ""],
    [7, "7\n"],
    [false, "false\n"],
    [{ a: ["\x1b\u202e"] }, '{\n  "a": [\n    "\\u001b\\u202e"\n  ]\n}\n'],
    [null, ""],
    [{}, "{}\n"],
    [[], "[]\n"],
    [undefined, ""],
  ])(
    "prints the answer %j, safe in a terminal, and character for character elsewhere",
    (value, shown, written = shown) => {
      const watched = value === undefined ? {} : { answer: { value } };
      for (const [isTTY, text] of [
        [true, shown],
        [false, written],
      ] as const) {
        expect([...outputPieces(value, { isTTY })].join("")).toBe(text);
        expect([...answerPieces(watched, { isTTY })].join("")).toBe(text);
      }
    },
  );

  test("prints the answers of several branches below their labels", () => {
    const value = { "security\x1b": "fine\n", style: { problems: 2 } };
    for (const isTTY of [true, false]) {
      expect([...answerPieces({ answer: { value, branches: true } }, { isTTY })].join("")).toBe(
        'security\\x1b:\nfine\n\nstyle:\n{\n  "problems": 2\n}\n',
      );
    }
  });

  test("a question is answered first, then the run continues", () => {
    const { view } = journal().asked("approval", { kind: "wait", question: "Ship it?" }).add({ type: "run-released" });
    const attended = { view, status: { kind: "pending" }, left: "no-wait" } as const;
    expect(summaryBelowLines(attended, page)).toBe(`‖ ship calm-otter is waiting for an answer (2.0s, 0 steps)
    atomic approve calm-otter --key approval         # yes
    atomic approve calm-otter --deny --key approval  # no
    atomic resume calm-otter                         # then
`);
    // A picture names only the node that asks; the lines have shown the question.
    expect(summaryBelowPicture(attended, page)).toBe(`? Ship it?\n${summaryBelowLines(attended, page)}`);
    const stopped = { ...attended, left: "SIGINT" } as const;
    expect(summaryBelowPicture(stopped, page)).toBe(summaryBelowLines(stopped, page));
  });

  test("adds nothing below a frame that shows the run as done", () => {
    const { view } = journal().done();
    expect(summaryBelowPicture({ view, status: done }, page)).toBe("");
    expect(summaryBelowLines({ view, status: done }, page)).toBe("✓ ship calm-otter done (2.0s, 0 steps)\n");
  });

  test("a long reason is wrapped", () => {
    const { view } = journal();
    const status: RunStatus = { kind: "failed", at: 1, error: { name: "Error", message: "word ".repeat(40) } };
    const text = summaryBelowLines({ view, status }, { columns: 50, colour: false });
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(50);
  });

  test("programs get it as the last line", () => {
    const { view } = journal().asked("approval", { kind: "wait", question: "Ship it?" }).add({ type: "run-released" });
    const line = [...resultPieces({ view, status: { kind: "pending" }, left: "SIGINT" }, 130, { colour: false })].join(
      "",
    );
    expect(JSON.parse(line)).toMatchObject({
      runId: "calm-otter",
      type: "result",
      version: 1,
      workflow: "ship",
      status: { kind: "pending" },
      left: "SIGINT",
      questions: [{ key: "approval" }],
      exitCode: 130,
    });
  });
});

test("a run's setup is restored from its journal, and other runs have none", () => {
  const setup = { workflow: "w", host: "claude", model: "m", script: "s", permissions: { bash: "deny" } } as const;
  expect(setupOf(JSON.parse(JSON.stringify(setupToJson(setup))))).toEqual(setup);
  const least = { workflow: "w", host: "h", permissions: {} };
  expect(setupOf(setupToJson(least))).toEqual(least);
  for (const other of [undefined, null, "x", [], {}, { workflow: 1, host: "x" }]) {
    expect(setupOf(other as Json)).toBeUndefined();
  }
});

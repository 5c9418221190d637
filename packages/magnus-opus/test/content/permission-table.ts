// What each agent may do, in words that a person can check. `permissions.test.ts` tries it on the real OpenCode.

export type Verdict = "allow" | "ask" | "deny";

export interface Call {
  readonly tool: string;
  readonly args: Record<string, string>;
}

const writing = (filePath: string): Call => ({ tool: "write", args: { filePath, content: "written\n" } });
const running = (command: string): Call => ({ tool: "bash", args: { command, description: "Try it" } });
const delegatingTo = (agent: string): Call => ({
  tool: "task",
  args: { description: "Try it", prompt: "stop at once", subagent_type: agent },
});

const looking: Readonly<Record<string, Call>> = {
  "read a file": { tool: "read", args: { filePath: "src/app.html" } },
  "search text": { tool: "grep", args: { pattern: "html" } },
};

export const reportCall: Call = writing("ai-docs/sessions/impl-1/reviews/code-review/one.md");
const reporting: Readonly<Record<string, Call>> = { "write a report": reportCall };

const tampering: Readonly<Record<string, Call>> = {
  "write a journal": writing("ai-docs/sessions/impl-1/journal.jsonl"),
  "write git's own files": writing(".git/hooks/post-commit"),
  "approve by shell": running("npx magnus-opus approve impl-1"),
  "reach sessions by shell": running("touch ai-docs/sessions/impl-1/approved"),
};

const building: Readonly<Record<string, Call>> = {
  "write source": writing("src/lib/made.ts"),
  "remove source": running("rm -f src/lib/made.ts"),
};

const history: Readonly<Record<string, Call>> = {
  "see what changed": running("git status --short"),
  "read history": running("git log --oneline -n 1"),
  "read a file's history": running("git log --oneline --since=2020/01/01 HEAD~0 -- src/app.html"),
  "list a folder": running("ls -l src/"),
};

/** Commands that look harmless, or begin like one that is. In the patterns of OpenCode a backslash is a slash. */
const detours: Readonly<Record<string, Call>> = {
  "redirect into a file": running("git log > made.txt"),
  "redirect from a process": running("git diff <(touch made.txt)"),
  "read outside of the repository": running("git diff --no-index /etc/hostname src/app.html"),
  "print into a file": running("git log --output=made.txt"),
  "print into a file, shortened": running("git log --outp=made.txt"),
  "print into a file, in single quotes": running("git log --o'u'tput=made.txt"),
  "print into a file, in double quotes": running('git log --o"u"tput=made.txt'),
  "print into a file, with a backslash": running("git log --o\\utput=made.txt"),
  "print into a file, with an early backslash": running("git log -\\-output=made.txt"),
  "print into a file, with a backslash between": running("git log --\\output=made.txt"),
  "print into a file, in braces": running("git log --{ou,ou}tput=made.txt"),
  "print into a file, around nothing": running("git log --o$@utput=made.txt"),
  "print into a file, around no command": running("git log --o``utput=made.txt"),
  "chain a second command": running("git status && touch made.txt"),
  "pipe into a writer": running("git log | tee made.txt"),
  "substitute a command": running("git log $(touch made.txt)"),
  "assign before a command": running("GIT_PAGER=touch git log"),
  "configure git for once": running("git -c alias.log=!touch log"),
  "change history": running("git commit --allow-empty --message=made"),
};

const publishing: Readonly<Record<string, Call>> = {
  "change OpenCode's settings": writing(".opencode/made.txt"),
  commit: running("git commit --allow-empty --message=made"),
  deploy: running("npx --no-install convex deploy"),
};

const testing: Readonly<Record<string, Call>> = {
  "run the tests": running("npm test"),
  "run the tests into a file": running("npm test > made.txt"),
};

const delegating: Readonly<Record<string, Call>> = { "hand on to a developer": delegatingTo("developer") };
const elsewhere: Readonly<Record<string, Call>> = { "hand on to a stranger": delegatingTo("general") };

const all = (calls: Readonly<Record<string, Call>>, verdict: Verdict): readonly Row[] =>
  Object.entries(calls).map(([what, call]) => ({ what, call, verdict }));

export interface Row {
  readonly what: string;
  readonly call: Call;
  readonly verdict: Verdict;
}

const reader = [...all(looking, "allow"), ...all(building, "deny"), ...all(tampering, "deny")];
const noShell = all({ ...history, ...detours, ...testing }, "deny");
const lookingShell = [...all(history, "allow"), ...all({ ...detours, ...testing }, "deny")];
const alone = all({ ...delegating, ...elsewhere }, "deny");
const implementer = [
  ...all({ ...looking, ...building, ...history }, "allow"),
  ...all({ ...reporting, ...tampering }, "deny"),
  ...all(publishing, "ask"),
  ...alone,
];
const reporter = [...reader, ...all(reporting, "allow")];

export const permissionTable: Readonly<Record<string, readonly Row[]>> = {
  orchestrator: [...reporter, ...lookingShell, ...all(delegating, "allow"), ...all(elsewhere, "deny")],
  architect: [...reporter, ...lookingShell, ...alone],
  developer: implementer,
  backend: implementer,
  designer: [...reporter, ...lookingShell, ...alone],
  "ui-developer": implementer,
  reviewer: [...reporter, ...lookingShell, ...alone],
  "plan-reviewer": [...reporter, ...noShell, ...alone],
  tester: [
    ...reporter,
    ...all({ ...history, "run the tests": testing["run the tests"] as Call }, "allow"),
    ...all({ ...detours, "run the tests into a file": testing["run the tests into a file"] as Call }, "deny"),
    ...alone,
  ],
  explorer: [...reader, ...all(reporting, "deny"), ...lookingShell, ...alone],
  cleaner: [...reader, ...all(reporting, "deny"), ...noShell, ...alone],
};

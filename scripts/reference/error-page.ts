// The page of errors, from the classes that declare their codes and from every place that throws one of them.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { DurableError, type DurableErrorCode } from "@atomic/durable-files/errors";
import type { ErrorExplanation, ExplainedError } from "@atomic/durable-files/explained-error";
import { signalCodes } from "@atomic/terminal/exit-codes";
import { HugoError, type HugoErrorCode } from "../../packages/hugo/src/errors.ts";
import { JournalError, type JournalErrorCode } from "../../packages/magnus-opus/src/sessions/journal.ts";
import { SessionError, type SessionErrorCode } from "../../packages/magnus-opus/src/sessions/sessions.ts";
import { HostError, type HostErrorCode } from "../../packages/workflows/src/hosts/host.ts";
import { LockError, type LockErrorCode } from "../../packages/workflows/src/hugo-lock/parse-lock.ts";
import {
  WorkflowModuleError,
  type WorkflowModuleErrorCode,
} from "../../packages/workflows/src/modules/workflow-module-error.ts";
import { RunError, type RunErrorCode } from "../../packages/workflows/src/run/run-error.ts";
import { TasksError } from "../../packages/workflows/src/tasks/tasks-error.ts";
import { code, prose, sentence, table } from "./markdown.ts";
import {
  commentOf,
  isNode,
  membersOf,
  nameOf,
  type ParsedSource,
  parseSource,
  propertyOf,
  type SyntaxNode,
  textsOf,
  typeNamed,
} from "./source.ts";

/** One place that throws an error: what it says, and what to do about it. */
interface Thrown {
  readonly area: string;
  readonly code: string;
  readonly messages: readonly string[];
  readonly hints: readonly string[];
  readonly exitCode: number;
}

interface ErrorClass {
  readonly name: string;
  readonly area: string;
  /** Where its codes are declared, each with a comment. */
  readonly codes?: { readonly file: string; readonly type: string };
  /** Of an error with this code. */
  exitCode(code: string): number;
}

/** Shown for a hint that is put together when the error is thrown. */
const composedHint = "Printed with the message.";
const none: ErrorExplanation & { readonly hint: string } = { message: "", hint: "" };
const files = "Files";
const hugo = "Hugo";
const runs = "Runs and workflows";
const magnus = "Magnus Opus";
const commandLine = "The command line";
const areas = [hugo, runs, magnus, files, commandLine];

const exitCodeOf = (error: ExplainedError): number => error.exitCode;

/** Every class whose errors people see. `test/reference.test.ts` fails if one is missing. */
export const errorClasses: readonly ErrorClass[] = [
  {
    ...{ name: "HugoError", area: hugo },
    codes: { file: "packages/hugo/src/errors.ts", type: "exitCodeOf" },
    exitCode: (each) => exitCodeOf(new HugoError(each as HugoErrorCode, none)),
  },
  {
    // Its codes are among Hugo's.
    ...{ name: "LockError", area: hugo },
    exitCode: (each) => exitCodeOf(new LockError(each as LockErrorCode, none)),
  },
  {
    ...{ name: "RunError", area: runs },
    codes: { file: "packages/workflows/src/run/run-error.ts", type: "RunErrorCode" },
    exitCode: (each) => exitCodeOf(new RunError(each as RunErrorCode, none)),
  },
  {
    ...{ name: "HostError", area: runs },
    codes: { file: "packages/workflows/src/hosts/host.ts", type: "HostErrorCode" },
    exitCode: (each) => exitCodeOf(new HostError(each as HostErrorCode, { ...none, host: "" })),
  },
  {
    ...{ name: "WorkflowModuleError", area: runs },
    codes: { file: "packages/workflows/src/modules/workflow-module-error.ts", type: "WorkflowModuleErrorCode" },
    exitCode: (each) =>
      exitCodeOf(new WorkflowModuleError(each as WorkflowModuleErrorCode, { problem: "", at: "", hint: "" })),
  },
  {
    ...{ name: "SessionError", area: magnus },
    codes: { file: "packages/magnus-opus/src/sessions/sessions.ts", type: "SessionErrorCode" },
    exitCode: (each) => exitCodeOf(new SessionError(each as SessionErrorCode, "", "")),
  },
  {
    ...{ name: "JournalError", area: magnus },
    codes: { file: "packages/magnus-opus/src/sessions/journal.ts", type: "JournalErrorCode" },
    exitCode: (each) => exitCodeOf(new JournalError(each as JournalErrorCode, "", "")),
  },
  {
    ...{ name: "DurableError", area: files },
    codes: { file: "packages/durable-files/src/errors.ts", type: "DurableErrorCode" },
    exitCode: (each) => exitCodeOf(new DurableError(each as DurableErrorCode, none)),
  },
  // These two take any code, and the place that throws says how the program ends.
  { name: "Refusal", area: commandLine, exitCode: () => 1 },
  { name: "UsageError", area: commandLine, exitCode: () => 2 },
];

/** A refusal belongs to the program whose source throws it. */
const areaOfPackage: Readonly<Record<string, string>> = { atomic: runs, workflows: runs, "magnus-opus": magnus, hugo };

const tasksErrorOf = (code: "missing" | "shape"): TasksError => new TasksError([{ code, message: "", at: "" }]);

/** Codes that a class works out itself. */
const workedOut: readonly (DeclaredCode & { readonly area: string })[] = [
  { area: runs, name: "tasks-missing", means: "There is no tasks file", exitCode: tasksErrorOf("missing").exitCode },
  {
    ...{ area: runs, name: "tasks-invalid", exitCode: tasksErrorOf("shape").exitCode },
    means: "The tasks file has problems, each of which is reported with its position and what to do",
  },
];

export function errorPage(root: string): string {
  const sources = sourcesIn(root);
  const thrown = sources.flatMap(thrownIn);
  const sections = areas.map((area) => {
    const declared = [
      ...errorClasses.filter((each) => each.area === area).flatMap((each) => codesOf(each, root)),
      ...workedOut.filter((each) => each.area === area),
    ];
    const undeclared = [...new Set(thrown.filter((each) => each.area === area).map((each) => each.code))]
      .filter((each) => declared.every(({ name }) => name !== each))
      .map((name) => ({ name, means: undefined, exitCode: undefined }));
    const codes = [...declared, ...undeclared].toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const parts = codes.map(({ name, means, exitCode }) => {
      const here = thrown.filter((each) => each.area === area && each.code === name);
      const exits: number[] = name === "interrupted" ? Object.values(signalCodes) : [];
      if (exits.length === 0) exits.push(...(exitCode === undefined ? here.map((each) => each.exitCode) : [exitCode]));
      const distinct = [...new Set(exits)].toSorted((one, other) => one - other);
      const rows = here.flatMap(({ messages, hints }) => {
        const telling = messages.filter((message) => /[A-Za-z]/.test(message));
        return telling.map((message) => [prose(message), shown(hints)]);
      });
      const unique = [...new Map(rows.map((row) => [row.join("|"), row])).values()];
      return [
        `### ${code(name)}`,
        `${means === undefined ? "" : `${prose(sentence(means.charAt(0).toUpperCase() + means.slice(1)))} `}Exit code ${distinct.join(" or ")}.`,
        ...(unique.length === 0 ? [] : [table(["message", "what to do"], unique)]),
      ].join("\n\n");
    });
    return `## ${area}\n\n${parts.join("\n\n")}`;
  });
  return [
    "# Errors",
    "Every error has a stable code, which `--json` prints as `error.code`; a message; and, in nearly all cases, what to do next. This page lists the codes with what they mean, the [exit code](command-line.md#exit-codes), and the messages, with `…` for what is filled in. Search it for a few words of your message. A message that is put together from several parts is not listed, but its code is; a hint that is put together like that is shown only as printed with the message. For the ones that newcomers meet, see [troubleshooting](../guide/troubleshooting.md).",
    ...sections,
  ].join("\n\n");
}

function shown(hints: readonly string[]): string {
  return hints.map(prose).join(" *or* ");
}

/** The texts of every error that these sources throw, by code. */
export function errorTexts(root: string): readonly Thrown[] {
  return sourcesIn(root).flatMap(thrownIn);
}

function sourcesIn(root: string): ParsedSource[] {
  const products = ["atomic", "durable-files", "engine-postgres", "hugo", "magnus-opus", "terminal", "workflows"];
  return products.flatMap((name) => {
    const src = join(root, "packages", name, "src");
    const found = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    return found.toSorted().map((file) => {
      const path = join(src, file);
      return parseSource(relative(root, path), readFileSync(path, "utf8"));
    });
  });
}

function thrownIn(source: ParsedSource): Thrown[] {
  return [...createdIn(source), ...classesIn(source)];
}

/** Classes whose errors all have the same code, which they give to the class above. */
function classesIn(source: ParsedSource): Thrown[] {
  const classes = source.nodes.filter(({ superClass }) => nameOf(superClass) === "ExplainedError");
  return classes.flatMap((each) => {
    const inside = source.nodes.filter(({ start, end }) => start > each.start && end < each.end);
    const call = inside.find(
      ({ type, callee }) => type === "CallExpression" && isNode(callee) && callee.type === "Super",
    );
    const [first, second] = (call?.arguments ?? []) as readonly unknown[];
    if (!isNode(first) || first.type !== "Literal") return [];
    const getter = inside.find(({ kind, key }) => kind === "get" && nameOf(key) === "exitCode");
    const result = inside.find(({ type, start }) => type === "ReturnStatement" && getter && start > getter.start);
    const exitCode = isNode(result?.argument) && typeof result.argument.value === "number" ? result.argument.value : 1;
    const [messages, hints] = [propertyOf(second, "message"), propertyOf(second, "hint")];
    return {
      ...{ area: areaOfPackage[packageOf(source)] ?? commandLine, code: nameOf(first), exitCode },
      ...{ messages: textsOf(messages, source), hints: hintsOf(hints, source) },
    };
  });
}

function createdIn(source: ParsedSource): Thrown[] {
  const news = source.nodes.filter(({ type }) => type === "NewExpression");
  return news.flatMap((node) => {
    const known = errorClasses.find(({ name }) => name === nameOf(node.callee));
    if (known === undefined) return [];
    const [first, second, third] = node.arguments as readonly unknown[];
    const isUsage = known.name === "UsageError";
    const codes = isUsage ? ["usage"] : textsOf(first, source);
    const isWritten = isNode(second) && second.type === "ObjectExpression" && !isUsage;
    const written = propertyOf(second, "message") ?? propertyOf(second, "problem");
    const message = isUsage ? first : isWritten ? written : second;
    const hint = isUsage || isWritten ? propertyOf(second, "hint") : third;
    const exit = propertyOf(second, "exitCode");
    const area = known.name === "Refusal" ? (areaOfPackage[packageOf(source)] ?? commandLine) : known.area;
    const [messages, hints] = [textsOf(message, source), hintsOf(hint, source)];
    const exitCode = typeof exit?.value === "number" ? exit.value : known.exitCode(codes[0] ?? "");
    return codes.map((each): Thrown => ({ area, code: each, messages, hints, exitCode }));
  });
}

/** A hint may be handed to a function that adds what depends on the situation, or come from elsewhere. */
function hintsOf(hint: unknown, source: ParsedSource): readonly string[] {
  if (!isNode(hint)) return [];
  const parts = hint.type === "CallExpression" ? (hint.arguments as readonly unknown[]) : [hint];
  const texts = parts.flatMap((part) => textsOf(part, source));
  return texts.length > 0 ? texts : [composedHint];
}

function packageOf({ file }: ParsedSource): string {
  return file.split("/")[1] ?? "";
}

interface DeclaredCode {
  readonly name: string;
  readonly means: string | undefined;
  readonly exitCode: number | undefined;
}

/** The codes of a class with their comments, as its source declares them. */
export function codesOf({ codes, exitCode }: ErrorClass, root: string): readonly DeclaredCode[] {
  if (codes === undefined) return [];
  const source = parseSource(codes.file, readFileSync(join(root, codes.file), "utf8"));
  return declarations(source, codes.type).map(([name, node]) => {
    return { name, means: commentOf(source, node), exitCode: exitCode(name) };
  });
}

/** The members of a union of words, or the keys of a constant. */
function declarations(source: ParsedSource, type: string): (readonly [name: string, node: SyntaxNode])[] {
  const constant = source.nodes.find((node) => node.type === "VariableDeclarator" && nameOf(node.id) === type);
  if (isNode(constant?.init)) {
    const object = isNode(constant.init.expression) ? constant.init.expression : constant.init;
    return (object.properties as readonly SyntaxNode[]).map((each) => [nameOf(each.key), each] as const);
  }
  return membersOf(typeNamed(source, type)).map((member) => [nameOf(member.literal), member] as const);
}

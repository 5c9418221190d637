// Signs in code of what it can do. They prove nothing, because code can hide anything. But honest packages show them,
// and hijacked ones rarely bother to hide.
import type { Capability } from "../../packages/capability.ts";
import { inJavaScript, inOtherLanguages, inShell, inWindowsShell, type Signal } from "./signal-patterns.ts";

const hooks =
  /["'`]((?:tool\.execute|chat|command\.execute|shell|experimental\.[a-z]+)\.[a-z._]+|permission\.ask)["'`]|\b(event|auth|tool|config)\s*(?::\s*(?:async\b|function\b|\(|\{)|\()|\.(event|auth|tool|config)\s*=(?![=>])|\[\s*["'`](event|auth|tool|config)["'`]\s*\]/g;

const SHELL_FILE = /\.(?:sh|bash|zsh|fish|command)$/i;
const WINDOWS_FILE = /\.(?:ps1|psm1|bat|cmd|vbs)$/i;
const OTHER_LANGUAGE = /\.(?:py|rb|pl|php|lua)$/i;
const JAVASCRIPT = /\.[cm]?[jt]sx?$/i;
/** Runtimes treat a file without an extension as code, if code loads it. */
const WITHOUT_ENDING = /(?:^|\/)[^./]+$/;
const LOOKS_LIKE_CODE =
  /^[^\S\r\n\u2028\u2029]*(?:import\s*["'{*(]|import\s+[\w$]+\s+from\b|export\s+(?:default|const|async|function|\{|\*)|(?:const|let|var)\s+[\w${[]|(?:async\s+)?function\b)|=>|\brequire\s*\(/m;

/** Whether it could be run or loaded as code. */
export function isCode(path: string, text: string): boolean {
  const isKnown = [SHELL_FILE, WINDOWS_FILE, OTHER_LANGUAGE, JAVASCRIPT, OTHER_SCRIPT].some((form) => form.test(path));
  return isKnown || text.startsWith("#!") || (WITHOUT_ENDING.test(path) && LOOKS_LIKE_CODE.test(text));
}

/** Languages without known signs. */
const OTHER_SCRIPT = /\.(?:swift|applescript)$/i;

/** The language decides which signs count. */
export function readSignals(path: string, text: string): Capability[] {
  let signals: readonly Signal[] = [];
  if (SHELL_FILE.test(path) || /^#!.*\b(?:ba|z|da|fi)?sh\b/.test(text)) signals = inShell;
  else if (WINDOWS_FILE.test(path)) signals = [...inShell, ...inWindowsShell];
  else if (isCode(path, text)) {
    signals = OTHER_LANGUAGE.test(path) ? [...inJavaScript, ...inOtherLanguages] : inJavaScript;
  }
  // Words that were split or written as escapes, as the program will see them.
  const plain =
    signals === inShell
      ? text
      : text
          .replace(ESCAPES, (_, ...codes: (string | undefined)[]) => {
            const code = codes.slice(0, 3).find((each) => each !== undefined) ?? "";
            return String.fromCharCode(Number.parseInt(code, 16));
          })
          .replace(/["'`]\s{0,100}\+\s{0,100}["'`]/g, "");
  const found = signals.filter(({ pattern }) => pattern.test(text) || (plain !== text && pattern.test(plain)));
  const details = found.map(({ detail }) => detail);
  const hides =
    signals.length > 0 && signals !== inShell && ESCAPED.test(text) ? ["uses escape sequences to hide text"] : [];
  return [...new Set([...details, ...hides])].map((detail) => ({ kind: "code", subject: path, detail }));
}

/** Letters and similar characters, which never need an escape. */
const LETTER = "(?:3a|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9a])";
const ESCAPED = new RegExp(String.raw`(?<=[\w"'\`:])\\(?:x${LETTER}|u00${LETTER}|u\{0*${LETTER}\})`, "i");
const ESCAPES = new RegExp(String.raw`\\(?:x(${LETTER})|u00(${LETTER})|u\{0*(${LETTER})\})`, "gi");

/** `deploy: tool({ … })`: how plugins define tools, by key or in an object, with the helper or without. */
const tools =
  /(\.\s{0,20})?(?:(?<![\w$])([\w$]{1,100})|["'`]([^"'`\n]{1,100})["'`])\s{0,20}\]?\s{0,20}([:=])\s*(?:(?:await\s+)?(?:[\w$]+\.)?tool\s*\(|\{\s*(?:description|args|execute)\s*[:(](?=[\s\S]{0,400}?\bexecute\s*[:(]))/g;

/** `my_tool: myTool`, followed by the next key or the end of the object. */
const references =
  /(?:(?<![\w$])([\w$]{1,100})|["'`]([^"'`\n]{1,100})["'`])\s{0,20}\]?\s{0,20}:\s{0,100}(?:[\w$]{1,100}\.)?([\w$]{1,100})\s{0,100}(?=[,}]|\b(?:as|satisfies)\b)/g;
/** The start of an object that has a name: `tool: { a, b: c }`, `const all = { … }`. */
const objects = /(?<![\w$])([\w$]{1,100})["'`]?\s{0,20}[:=]\s{0,100}\{([^{}]{0,5000})/g;
/** `tool: all`: the object that has the tools. */
const toolVariables = /\btool["'`]?\s{0,20}[:=]\s{0,100}([\w$]{1,100})(?=\s{0,100}[,};\n])/g;
const comments = /\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*/g;
/** In `import { deploy }` or `const { deploy } = …`, the name is not a key. */
const notKeys = /\b(?:import|export)\s{0,20}(?:type\s{0,20})?\{[^{}]{0,5000}\}|\{[^{}]{0,5000}\}\s{0,20}=(?![=>])/g;
/** `{ deploy, … }`: a variable that is its own key. */
const shorthands = /[{,]\s{0,100}([\w$]{1,100})\s{0,100}(?=[,}])/g;

/**
 * The tools that a plugin's code adds, under the names that models see: those of `tool: { my_tool: myTool }`, wherever
 * `myTool` is defined. Only there does a name replace a variable's, and only one, so an unlisted tool cannot hide behind a
 * listed one.
 *
 * @param files The plugin's code, by path.
 */
export function readTools(files: ReadonlyMap<string, string>): Capability[] {
  const found = new Map<string, Capability>();
  const add = (subject: string, name: string): void => {
    const detail = `tool ${name}`;
    found.set(JSON.stringify([subject, detail]), { kind: "hook", subject, detail });
  };
  const variables: { readonly path: string; readonly name: string }[] = [];
  for (const [path, text] of files) {
    for (const [, member, plain, quoted, sign] of text.matchAll(tools)) {
      if (plain !== undefined && sign === "=" && member === undefined) variables.push({ path, name: plain });
      else add(path, plain ?? quoted ?? "");
    }
  }
  const known = new Set(variables.map(({ name }) => name));
  /** Which variables each key of `tool: { … }` stands for. */
  const keys = new Map<string, Set<string>>();
  const own = new Set<string>();
  for (const [path, text] of known.size === 0 ? [] : files) {
    const read = (code: string, isKnown: (variable: string) => boolean): void => {
      for (const [, plain, quoted, variable = ""] of code.matchAll(references))
        if (isKnown(variable)) add(path, plain ?? quoted ?? "");
      for (const [, name = ""] of code.matchAll(shorthands)) if (isKnown(name)) own.add(name);
    };
    const code = text.replace(notKeys, "");
    // Minified code uses a short name for many things.
    read(code, (variable) => variable.length > 2 && known.has(variable));
    const named = new Set(["tool", ...Array.from(code.matchAll(toolVariables), ([, variable = ""]) => variable)]);
    for (const [, name = "", inside = ""] of code.matchAll(objects)) {
      // Even the short names of minified code mean tools here.
      if (!named.has(name)) continue;
      read(`{${inside}}`, (variable) => known.has(variable));
      for (const [, plain, quoted, variable = ""] of `{${inside.replace(comments, "")}}`.matchAll(references)) {
        const key = plain ?? quoted ?? "";
        keys.set(key, (keys.get(key) ?? new Set()).add(variable));
      }
    }
  }
  const replaced = new Set([...keys.values()].flatMap((each) => (each.size === 1 ? [...each] : [])));
  for (const { path, name } of variables) if (own.has(name) || !replaced.has(name)) add(path, name);
  return [...found.values()];
}

/** The OpenCode hooks that a plugin's code names. */
export function readHooks(path: string, text: string): Capability[] {
  const details = Array.from(text.matchAll(hooks), ([, ...names]) => names.find((name) => name !== undefined) ?? "");
  return details.map((detail): Capability => ({ kind: "hook", subject: path, detail }));
}

/** Command lines of MCP servers in code, written as in OpenCode's config. */
export function readServersInCode(path: string, text: string): Capability[] {
  const lines = Array.from(text.matchAll(/\bcommand\s*:\s*\[([^\]]{1,1000})\]/g), ([, code = ""]) => {
    // `...typeof x === "string" ? [x] : x`: a type's name is not part of the command line.
    const list = code.replace(/\btypeof\s{1,9}[\w$.]{1,100}\s{0,9}[!=]==?\s{0,9}(["'`])\w{1,20}\1/g, "");
    const words = Array.from(
      list.matchAll(/"([^"\n]*)"|'([^'\n]*)'|`([^`\n]*)`/g),
      (match) => match[1] ?? match[2] ?? match[3],
    );
    // The program itself may be a variable.
    const isNamed = /^\s*["'`]/.test(list);
    return [...(isNamed || words.length === 0 ? [] : ["…"]), ...words].join(" ");
  });
  const urls = Array.from(text.matchAll(/\burl\s*:\s*["'`](\w+:\/\/[^"'`\s]+)/g), ([, url = ""]) => url);
  return (
    [...lines, ...urls]
      // In a schema, the word stands for its type.
      .filter((detail) => detail !== "" && detail !== "string")
      .map((detail) => ({ kind: "mcp", subject: `in ${path}`, detail }))
  );
}

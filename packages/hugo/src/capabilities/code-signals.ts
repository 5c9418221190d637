// Signs in code of what it can do. They prove nothing: code can hide anything. But an honest package shows itself by them,
// and one that was taken over seldom takes the trouble to hide.
import type { Capability } from "./capability.ts";

interface Signal {
  readonly detail: string;
  readonly pattern: RegExp;
}

const inCode: readonly Signal[] = [
  {
    detail: "runs programs",
    pattern:
      /\bchild_process\b|\bBun\s*\.\s*(?:\$|spawn)|\bexeca\b|\bnode-pty\b|[{,]\s*\$\s*[,}:]|\.\$`|\bDeno\.Command\b/,
  },
  {
    detail: "uses the network",
    pattern:
      /\bfetch\s*\(|["'](?:node:)?(?:https?|http2|net|tls|dgram|dns)["']|\bWebSocket\b|\bXMLHttpRequest\b|["'](?:undici|axios|got|node-fetch)["']/,
  },
  { detail: "opens a port", pattern: /\bcreateServer\s*\(|\bBun\s*\.\s*(?:serve|listen)\b|\.listen\s*\(/ },
  {
    detail: "runs code made at run time",
    pattern:
      /\beval\s*\(|\bnew\s+Function\s*\(|["'](?:node:)?vm["']|\bimport\s*\(\s*[^"'`\s)]|\brequire\s*\(\s*[^"'`\s)]/,
  },
  {
    detail: "reads the environment",
    pattern: /\bprocess\s*\.\s*env\b|\bBun\s*\.\s*env\b|\bprocess\s*\[\s*["']env["']\s*\]/,
  },
  {
    detail: "writes or deletes files",
    pattern:
      /\b(?:writeFile|appendFile|createWriteStream|rmdir|unlink|copyFile|symlink|chmod|rmSync)\w*\b|\bBun\s*\.\s*write\b/,
  },
  {
    detail: "looks at credentials",
    pattern: /\.ssh\b|\.aws\b|\.npmrc\b|\.netrc\b|\bid_(?:rsa|ed25519)\b|\.gnupg\b|\bkeychain\b/i,
  },
  { detail: "adds MCP servers", pattern: /\bmcp\s*[:=]|\.mcp\b/ },
];

const hooks =
  /["'`]((?:tool\.execute|chat|permission|command\.execute|shell|experimental\.[a-z]+)\.[a-z._]+)["'`]|\b(event|auth|tool|config)\s*(?::\s*(?:async\b|function\b|\(|\{)|\()/g;

const inShell: readonly Signal[] = [
  { detail: "uses the network", pattern: /(?<![.\w-])(?:curl|wget|nc|ncat|ssh|scp|rsync|ftp|telnet)\b|\/dev\/tcp\//i },
  { detail: "runs code made at run time", pattern: /\beval\b|\|\s*(?:ba|z|da)?sh\b|\bbase64\s+(?:-d|--decode|-D)\b/i },
  { detail: "becomes another user", pattern: /\b(?:sudo|doas|su)\s/ },
  { detail: "deletes files", pattern: /\brm\s+-\w*[rf]|\bfind\b[^\n]{0,200}-delete|\bshred\b/ },
  {
    detail: "looks at credentials",
    pattern: /\.ssh\b|\.aws\b|\.npmrc\b|\.netrc\b|\bid_(?:rsa|ed25519)\b|\.gnupg\b|\b[A-Z_]*(?:TOKEN|SECRET|API_KEY)\b/,
  },
];

const SHELL_FILE = /\.(?:sh|bash|zsh|fish|command)$/;
const CODE_FILE = /\.(?:[cm]?[jt]sx?|py|rb|pl|php|lua)$/;

/** The language decides which signs count; what is neither has none. */
export function readSignals(path: string, text: string): Capability[] {
  const isShell = SHELL_FILE.test(path) || /^#!.*\b(?:ba|z|da|fi)?sh\b/.test(text);
  const isCode = CODE_FILE.test(path) || text.startsWith("#!");
  const signals = isShell
    ? inShell
    : isCode
      ? [...inCode, ...(/\.(?:py|rb|pl|php|lua)$/.test(path) ? inScript : [])]
      : [];
  return signals
    .filter(({ pattern }) => pattern.test(text))
    .map(({ detail }) => ({ kind: "code", subject: path, detail }));
}

/** Languages other than JavaScript say the same in other words. */
const inScript: readonly Signal[] = [
  {
    detail: "runs programs",
    pattern: /\bsubprocess\b|\bos\.(?:system|popen|exec\w*|spawn\w*)\b|\bOpen3\b|\bshell_exec\b|\bpopen\b/,
  },
  {
    detail: "uses the network",
    pattern: /\b(?:urllib|requests|httpx|aiohttp|socket|http\.client|Net::HTTP|smtplib|ftplib)\b/,
  },
  { detail: "reads the environment", pattern: /\bos\.(?:environ|getenv)\b|\bENV\[/ },
  { detail: "runs code made at run time", pattern: /\bexec\s*\(|\bcompile\s*\(|\bmarshal\b|\bpickle\b/ },
];

/** `deploy: tool({ … })`, as the tools of a plugin are made. */
const tools = /(?:([\w$]+)|["'`]([^"'`\n]{1,100})["'`])\s*:\s*(?:await\s+)?(?:[\w$]+\.)?tool\s*\(/g;

/** The hooks of OpenCode that a plugin's code names, and the tools that it adds. */
export function readHooks(path: string, text: string): Capability[] {
  const details = [
    ...Array.from(text.matchAll(hooks), ([, quoted, plain]) => quoted ?? plain ?? ""),
    ...Array.from(text.matchAll(tools), ([, plain, quoted]) => `tool ${plain ?? quoted}`),
  ];
  return details.map((detail): Capability => ({ kind: "hook", subject: path, detail }));
}

/** Command lines of MCP servers that stand in code as they stand in OpenCode's config. */
export function readServersInCode(path: string, text: string): Capability[] {
  const lines = Array.from(text.matchAll(/\bcommand\s*:\s*\[([^\]]{1,1000})\]/g), ([, list = ""]) =>
    Array.from(list.matchAll(/"([^"\n]*)"|'([^'\n]*)'|`([^`\n]*)`/g), (match) => match[1] ?? match[2] ?? match[3]).join(
      " ",
    ),
  );
  const urls = Array.from(text.matchAll(/\burl\s*:\s*["'`](\w+:\/\/[^"'`\s]+)/g), ([, url = ""]) => url);
  return [...lines, ...urls]
    .filter((detail) => detail !== "")
    .map((detail) => ({ kind: "mcp", subject: `in ${path}`, detail }));
}

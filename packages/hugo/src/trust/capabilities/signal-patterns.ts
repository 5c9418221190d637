// What each language writes when it does something the user should know about.

export interface Signal {
  readonly detail: string;
  readonly pattern: RegExp;
}

/** One way to say the same, a line each. */
function anyOf(...ways: readonly RegExp[]): RegExp {
  const flags = ways.some(({ ignoreCase }) => ignoreCase) ? "im" : "m";
  return new RegExp(ways.map(({ source }) => source).join("|"), flags);
}

const credentials = /\.ssh\b|\.aws\b|\.npmrc\b|\.netrc\b|\bid_(?:rsa|ed25519)\b|\.gnupg\b/;

export const inJavaScript: readonly Signal[] = [
  {
    detail: "runs programs",
    pattern: anyOf(
      /\bchild_process\b|\bexeca\b|\bnode-pty\b|\bDeno\.Command\b|["'](?:node:)?cluster["']|\(\s*`(?:node:)?cluster`/,
      /\bBun\s*\??\.\s*(?:\$|spawn)|[{,]\s*\$\s*[,}:]|\.\$`/,
      // Code that has all of Bun under another name can run programs with it.
      /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*["'`]bun["'`]/,
      /(?:[=(,:?]|\breturn)\s*(?:globalThis\s*\??\.\s*)?Bun\s*(?:[;,)}\]\n]|$)|\bBun\s*(?:\?\.)?\s*\[/,
    ),
  },
  {
    detail: "uses the network",
    pattern: anyOf(
      /\bfetch\s*\(|\bfetch\s*\??\.\s*(?:\(|call\b|apply\b|bind\b)|["'`]fetch["'`]\s*\]/,
      /(?:[=:(,{[]|\breturn)\s*(?:globalThis\s*\??\.\s*)?fetch\s*(?:[;,)}\]\n]|$)|\bglobalThis\s*\??\.\s*fetch\b/,
      /["'](?:node:)?(?:https?|http2|net|tls|dgram|dns(?:\/promises)?)["']|["'](?:undici|axios|got|node-fetch|ws)["']/,
      /\b(?:import|require|getBuiltinModule)\s*\(\s*`(?:node:)?(?:https?|http2|net|tls|dgram|dns(?:\/promises)?)`/,
      /\bWebSocket\b|\bXMLHttpRequest\b|\bEventSource\b|\bsendBeacon\b|\bBun\s*\.\s*(?:connect|udpSocket|dns)\b/,
    ),
  },
  {
    detail: "opens a port",
    pattern: anyOf(
      /\bcreateServer\s*\(|\bBun\s*\.\s*(?:serve|listen)\b/,
      // With a function alone, something else is listened to.
      /\.listen\s*\((?!\s*(?:async\b|function\b|\([\w$,\s]{0,100}\)\s*=>|[\w$]{1,100}\s*=>))/,
    ),
  },
  {
    detail: "runs code generated at run time",
    pattern: anyOf(
      /\beval\s*[(),]|\bFunction\s*\(|["'](?:node:)?vm["']|\(\s*`(?:node:)?vm`|["'`](?:eval|Function)["'`]\s*\]|\.\s*constructor\s*(?:\(|\.\s*constructor\b)/,
      /\bprocess\s*\.\s*(?:binding|dlopen)\b/,
      /\bnew\s+Worker\s*\(|\bwith\s*:?\s*\{\s*type\s*:\s*["'](?:[jt]sx?|napi|macro)["']/,
    ),
  },
  {
    // Which module it loads, or which global it uses, is not written down.
    detail: "loads code by computed names",
    pattern: anyOf(
      /\b(?:import|require)\s*\(\s*(?:[^"'`\s)]|["'][^"'\n]{0,500}["']\s*[^\s),]|`[^`\n]{0,500}\$\{)/,
      // With a plain name, it is like any other import.
      /\bgetBuiltinModule\b(?!\s*\(\s*(?:"[^"\n]{0,100}"|'[^'\n]{0,100}'|`[^`$\n]{0,100}`)\s*\))|\bModule\s*\.\s*_load\b/,
      /(?:[=(,:?]|\breturn)\s*(?:require|globalThis)\s*(?:[;,)}\]\n]|$)|\b(?:globalThis|global)\s*(?:\?\.)?\s*\[/,
    ),
  },
  {
    detail: "reads environment variables",
    pattern: anyOf(
      /\b(?:process|Bun|import\s*\.\s*meta)\s*\??\.\s*env\b|\bprocess\s*(?:\?\.)?\s*\[/,
      /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*["'`](?:node:)?process["'`]/,
      /(?:[=(,:?]|\breturn)\s*(?:globalThis\s*\??\.\s*)?process\s*(?:[;,)}\]\n]|$)/,
    ),
  },
  {
    detail: "writes or deletes files",
    pattern: anyOf(
      /\b(?:writeFile|appendFile|createWriteStream|rmdir|unlink|copyFile|symlink|chmod)\w*\b|\bBun\s*\.\s*write\b/,
      /\b(?:rm|rename|cp|truncate|link|mkdir|mkdtemp|chown|utimes)Sync\b|\.writer\s*\(/,
      /\.\s*(?:rm|rename|cp|truncate|mkdir|mkdtemp|chown|utimes)\s*\(/,
      /[{,]\s*(?:rm|rename|cp|truncate|mkdir|mkdtemp)\b[^{}]{0,300}\}\s*(?:from\b|=)/,
      /\bopen(?:Sync)?\s*\([^)\n]{1,200},\s*["'`](?:[wa]|r\+)/,
    ),
  },
  { detail: "reads credentials", pattern: anyOf(credentials, /\bkeychain\b/i) },
  { detail: "adds MCP servers", pattern: /\bmcp\s*[:=]|\.mcp\b/ },
];

/** Languages other than JavaScript say the same in other words. */
export const inOtherLanguages: readonly Signal[] = [
  {
    detail: "runs programs",
    pattern: /\bsubprocess\b|\bos\.(?:system|popen|exec\w*|spawn\w*)\b|\bOpen3\b|\bshell_exec\b|\bpopen\b/,
  },
  {
    detail: "uses the network",
    pattern: /\b(?:urllib|requests|httpx|aiohttp|socket|http\.client|Net::HTTP|smtplib|ftplib)\b/,
  },
  { detail: "reads environment variables", pattern: /\bos\.(?:environ|getenv)\b|\bENV\[/ },
  {
    detail: "runs code generated at run time",
    pattern: /\bexec\s*\(|\bcompile\s*\(|\bmarshal\b|\bpickle\b|\b__import__\b|\bimportlib\b/,
  },
];

export const inShell: readonly Signal[] = [
  {
    detail: "uses the network",
    pattern: anyOf(
      /(?<![.\w-])(?:curl|wget|nc|ncat|ssh|scp|rsync|ftp|telnet)\b|\/dev\/tcp\//i,
      /\bgit\b[^\n;&|]{0,100}\s(?:clone|fetch|pull|push|submodule|remote)\b/,
    ),
  },
  {
    detail: "fetches or installs programs",
    pattern: anyOf(
      /(?<![.\w-])(?:npx|bunx|pipx|uvx)\s|\b(?:pnpm|yarn)\s+dlx\b|\bdeno\s+(?:run|install)\b/,
      /\b(?:npm|pnpm|yarn|bun)\s+(?:i|install|add|ci|exec|x)\b|\bpip3?\s+(?:install|download)\b|\buv\s+(?:pip|tool|run|add)\b/,
      /\b(?:gem|cargo|go|brew|apt|apt-get|dnf|yum|apk|choco|winget)\s+(?:install|add|run|get)\b|\bdocker\s+(?:run|pull)\b/,
    ),
  },
  {
    detail: "runs code generated at run time",
    pattern: anyOf(
      /\beval\b|\|\s*(?:ba|z|da)?sh\b|\bbase64\s+(?:-d|--decode|-D)\b|\bxxd\s+-\w*r/i,
      /(?<![.\w-])(?:python[\d.]*|node|bun|perl|ruby|php|lua|osascript|(?:ba|z|da|fi)?sh)\s+(?:-[\w-]+\s+){0,5}(?:-\w*[ceEpr]\b|--eval\b|--print\b|-(?=\s|$)|<)/,
      /\|\s*(?:python[\d.]*|node|bun|perl|ruby|php)\b|(?:^|[;&|\s])(?:source|\.)\s+<\(/,
    ),
  },
  {
    detail: "reads environment variables",
    pattern:
      /\bprintenv\b|(?:^|[;&|(`])[^\S\r\n\u2028\u2029]*env\s*(?:$|[|;>&)`])|\bexport\s+-p\b|\/proc\/\w+\/environ\b|\bcompgen\s+-[ev]\b/m,
  },
  { detail: "switches to another user", pattern: /\b(?:sudo|doas|su)\s/ },
  { detail: "deletes files", pattern: /\brm\s+-\w*[rf]|\bfind\b[^\n]{0,200}-delete|\bshred\b/ },
  { detail: "reads credentials", pattern: anyOf(credentials, /\b[A-Z_]*(?:TOKEN|SECRET|API_KEY)\b/) },
];

export const inWindowsShell: readonly Signal[] = [
  {
    detail: "uses the network",
    pattern:
      /\b(?:iwr|irm|Invoke-WebRequest|Invoke-RestMethod|Start-BitsTransfer|DownloadString|Net\.WebClient|certutil)\b/i,
  },
  {
    detail: "runs code generated at run time",
    pattern: /\b(?:iex|Invoke-Expression|FromBase64String|Add-Type)\b|-e(?:nc|ncodedcommand)\b/i,
  },
  { detail: "runs programs", pattern: /\bStart-Process\b|\bWScript\.Shell\b/i },
  { detail: "reads environment variables", pattern: /\benv:|\[Environment\]::|\bGetEnvironmentVariable/i },
  { detail: "switches to another user", pattern: /\bRunAs\b/i },
  { detail: "deletes files", pattern: /\bRemove-Item\b|\b(?:del|erase|rd|rmdir)\s+\/[a-z]/i },
];

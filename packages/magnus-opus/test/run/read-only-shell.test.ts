import { expect, test } from "bun:test";
import fc from "fast-check";
import { whyNotReadOnly } from "../../src/run/read-only-shell.ts";

const reading = [
  ...[
    "ls",
    "ls -la src",
    "pwd",
    "cat package.json",
    "head -20 src/a.ts",
    "head -n 20 src/a.ts",
    "tail -n5 a",
    "wc -l src/*.ts",
  ],
  ...[
    "grep -rn 'a|b > c' src",
    'grep -rn "use client" src --include=*.svelte',
    "rg -n 'foo(bar)' src -g '*.ts'",
    "rg --files",
  ],
  ...["find . -name '*.ts' -not -path './node_modules/*'", "find src -maxdepth 2 -type f", "tree -L 2", "du -sh src"],
  ...["git status", "git status --short", "git log --oneline -5", "git diff HEAD~1 -- src", "git show HEAD:src/a.ts"],
  ...[
    "git --no-pager log -p -3",
    "git branch --show-current",
    "git branch -a",
    "git rev-parse --show-toplevel",
    "git stash list",
  ],
  ...["git config --get user.name", "git ls-files | head -5", "git blame -L 1,20 src/a.ts", "node --version", "npm -v"],
  ...[
    "cat a | grep b | sort -u | uniq -c",
    "ls && pwd",
    "ls; pwd",
    "cat a || cat b",
    "sed -n 10,20p src/a.ts",
    "sed -n '5,$p' a",
  ],
  ...[
    "jq -r '.scripts | keys[]' package.json",
    "cd src && ls",
    "diff -u a b",
    "echo 'a $(b) > c'",
    "grep -- -x file",
    "stat a",
  ],
];

test.each(reading)("reads only: %s", (line) => {
  expect(whyNotReadOnly(line)).toBeUndefined();
});

test.each([
  "cat src/app.html 2>/dev/null",
  "ls -la 2>&1 | head -20",
  'grep -rn "TODO: fix" src 2>/dev/null | head',
  "find . -name '*.ts' -not -path './node_modules/*' | head -50",
  "tree -L 2 -I node_modules",
  "cat package.json | grep -n scripts",
  "head -n 40 README.md && tail -n 5 README.md",
  "git log --oneline -5 >/dev/null",
  "wc -l src/*.ts | sort -n | tail -3",
  String.raw`grep -rn "foo\|bar" src`,
  String.raw`grep -rn "\$state\b" src --include="*.svelte"`,
  String.raw`grep -En "^export (const|function) \w+\(" src/a.ts`,
  'grep -n "};$" src/a.ts',
  "grep -n ^import src/a.ts",
  'cat a.txt && echo "---" && cat b.txt',
  "echo '=== tests ===' ; ls *.test.ts",
  "ls *.js",
  "ls -la *.json *.md",
  "ls -d */",
  "wc -l *",
  "cat src/**/*.ts | head -100",
  "grep -rn TODO src --include=*.{ts,svelte}",
  "grep -rl foo . --exclude-dir={node_modules,dist}",
  "find . -type f ! -name '*.js'",
  String.raw`find src -type f \( -name "*.ts" -o -name '*.svelte' \) | head -50`,
  String.raw`find . \! -path './node_modules/*' -name a.ts`,
  "find . -maxdepth 3 -type f -mtime -1 -size +10k",
  "find . -name '*.ts' -printf '%p %s'",
  "find -L . -name a.ts",
  "find src",
  "cut -d, -f1 a.csv",
  "cut -d' ' -f1,3 a.txt | sort | uniq -c | sort -rn",
  "sort -t, -k2 a.csv",
  "sort -t: -k3,3n a.txt",
  "tail -n +10 a.txt",
  "tail -n+10 a.txt",
  "test -f a.txt && echo yes",
  "[ -f a.txt ] && echo yes || echo no",
  "[ ! -d src ]; echo",
  "command -v node",
  "python3 --version",
  "go version",
  "git --version",
  "ls --color=never",
  "stat -c %s a.txt",
  "git log -Sfoo --oneline -- *.ts",
  "rg -g'*.ts' foo",
])("an everyday line reads only: %s", (line) => {
  expect(whyNotReadOnly(line)).toBeUndefined();
});

const notReading = [
  ...["", " ", ";", "ls ;; ls", "ls |", "| ls", "ls & rm a", "ls &", "ls |& cat"],
  ...["echo x > a", "echo x >> a", "cat < a", "cat <<EOF", "cat <(ls)", "tee a", "ls | tee a"],
  ...[
    "echo $(touch a)",
    "echo `touch a`",
    'echo "$(touch a)"',
    'echo "`touch a`"',
    "echo $HOME",
    'echo "$HOME"',
    "echo a$A",
  ],
  ...[
    "A=1 ls",
    "env ls",
    "PAGER=x git log",
    "ls\ntouch a",
    "ls\r\ntouch a",
    "ls \\\ntouch a",
    "ls # x",
    "ls !$",
    "(ls)",
    "{ ls; }",
  ],
  ...[
    "ls \\",
    "ls 'a",
    'ls "a',
    "ls 'a\nb'",
    "l\\s",
    "\\ls",
    "~/x",
    "ls ~",
    "ls {a,b}",
    "ls [ab]",
    "sort *",
    "ls -*",
    "ls '-'*",
  ],
  ...[
    "rm a",
    "touch a",
    "mv a b",
    "cp a b",
    "mkdir a",
    "ln -s a b",
    "chmod +x a",
    "dd if=a of=b",
    "xargs rm",
    "ls | xargs rm",
  ],
  ...[
    "node a.js",
    "node -e 1",
    "npm test",
    "npm run build",
    "npx x",
    "bun x",
    "python3 -c 1",
    "sh -c ls",
    "bash a",
    "eval ls",
  ],
  ...[
    "exec ls",
    ". a",
    "source a",
    "command ls",
    "sudo ls",
    "time ls",
    "nohup ls",
    "awk 1 a",
    "perl -e 1",
    "vim a",
    "less a",
  ],
  ...[
    "find . -delete",
    "find . -exec rm {} +",
    "find . -ok rm",
    "find . -fprint a",
    "find . -execdir x",
    "find . -fls a",
  ],
  ...[
    "sed -i s/a/b/ c",
    "sed s/a/b/w c",
    "sed -n 1e c",
    "sed -n '1w x' c",
    "sed -n 1p -i c",
    "sed 1d a",
    "sed -n 1p --in-place a",
  ],
  ...[
    "sort -o a b",
    "sort --output=a b",
    "sort --outp a b",
    "sort --compress-program=x a",
    "uniq a b",
    "tree -o a",
    "date -s 1",
  ],
  ...["rg --pre x a", "rg --pre=x a", "rg -z a", "rg --hostname-bin=x a", "file -C -m a", "tail -f a", "jq -f a"],
  ...[
    "git commit -m a",
    "git add a",
    "git checkout a",
    "git reset",
    "git push",
    "git clean -fd",
    "git stash",
    "git stash pop",
  ],
  ...[
    "git diff --output=a",
    "git log --output a",
    "git diff --outp=a",
    "git log --ext-diff",
    "git -c core.pager=x log",
  ],
  ...[
    "git -C sub status",
    "cd sub && git status",
    "git --exec-path=x log",
    "git branch a",
    "git branch -D a",
    "git tag v1",
  ],
  ...[
    "git remote add a b",
    "git config user.name x",
    "git config --get a --add",
    "git grep -Ox a",
    "git grep --open-files-in-pager=x",
  ],
  ...["git blame --contents=a b", "git", "git x", "git rev-parse --exec", "git show --textconv", "git --paginate log"],
  ...[
    "magnus-opus approve x",
    "opencode run x",
    "constructor",
    "__proto__ a",
    "toString",
    "node --version x",
    "npm -v; npm i",
  ],
];

test.each(notReading)("does not only read: %j", (line) => {
  expect(whyNotReadOnly(line)).toMatch(/\S/);
});

test("anything but a string is refused", () => {
  for (const line of [undefined, null, 1, ["ls"], { command: "ls" }])
    expect(whyNotReadOnly(line)).toBe("it is not text");
});

test("anything appended to a read-only command that a shell would run is refused", () => {
  const joint = fc.constantFrom(
    ";",
    "&&",
    "||",
    "|",
    "&",
    "\n",
    "\r",
    "$(",
    "`",
    ">",
    "<",
    "\\",
    "#",
    "!",
    "(",
    "{ ",
    "${",
    "<(",
  );
  const more = fc.constantFrom("touch a", " rm -rf .", "tee b", "x=1", "node a");
  fc.assert(
    fc.property(fc.constantFrom(...reading), joint, more, (line, glue, rest) => {
      expect(whyNotReadOnly(line + glue + rest)).toBeDefined();
    }),
    { numRuns: 1000 },
  );
});

test("a line that reads only has no character, outside quotes, that a shell gives a meaning but for the joints of commands", () => {
  const piece = fc.constantFrom(
    "ls",
    "cat",
    "'",
    '"',
    "$",
    "`",
    "\\",
    ";",
    "&",
    "|",
    ">",
    "<",
    "\n",
    " ",
    "a",
    "-l",
    "(",
    ")",
    "*",
    "~",
    "{",
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 10 }), (pieces) => {
      const line = pieces.join("");
      if (whyNotReadOnly(line) !== undefined) return;
      const outside = line.replace(/'[^']*'/g, "").replace(/"[^"$`\\]*"/g, "");
      expect(outside.replaceAll(/[12]?>>?\s*\/dev\/null|[12]?>&[12]/g, "")).not.toMatch(/[$`\\<>(){}\n]/);
      expect(outside.replaceAll("&&", "")).not.toContain("&");
    }),
    { numRuns: 3000 },
  );
});

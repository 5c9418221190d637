// Lines that change something and look as if they only read. What the parser lets through is run in a real shell.
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { tmpProject } from "@atomic/testing/project";
import { whyNotReadOnly } from "../../src/run/read-only-shell.ts";

/** Each writes `made`, or removes or changes a file. */
const effects = ["touch made", "echo x > made", "rm -f a.txt", "cp a.txt made", "tee made"];

const around = (effect: string): string[] => [
  ...[`ls; ${effect}`, `ls && ${effect}`, `ls || ${effect}`, `ls | ${effect}`, `ls & ${effect}`, `ls\n${effect}`],
  ...[`ls\r\n${effect}`, `ls $(${effect})`, `ls \`${effect}\``, `ls "$(${effect})"`, `ls "\`${effect}\`"`],
  ...[`cat <(${effect})`, `cat a.txt >(${effect})`, `(${effect})`, `{ ${effect}; }`, `ls;${effect}#`, `! ${effect}`],
  ...[`A=1 ${effect}`, `env ${effect}`, `command ${effect}`, `exec ${effect}`, `eval '${effect}'`, `sh -c '${effect}'`],
  ...[`bash -c "${effect}"`, `time ${effect}`, `nohup ${effect}`, `if true; then ${effect}; fi`, `ls \\\n; ${effect}`],
  ...[`ls 2>/dev/null; ${effect}`, `ls 2>&1 | ${effect}`, `ls >/dev/null & ${effect}`, `ls 2>/dev/null\n${effect}`],
];

const particular = [
  ...["ls > made", "ls >made", "ls >> made", "ls 1>made", "ls 2>made", "ls &> made", "ls >| made", "ls <> made"],
  ...["ls >/dev/null.txt", "ls >/dev/null/../../tmp/x", "ls > /dev/nullx", "ls >& made", "ls >&made", "ls 3>made"],
  ...["ls >/dev/null>made", "ls 2>/dev/null>made", "ls >&2>made", "ls >/dev/null made>made", "echo x >/dev/'null'made"],
  ...["find . -delete", "find . -name a.txt -delete", "find . -exec touch made ;", "find . -exec touch made {} +"],
  ...["find . -execdir touch made ';'", "find . -ok touch made ;", "find . -okdir touch made ;", "find . -fprint made"],
  ...["find . -fprint0 made", "find . -fprintf made x", "find . -fls made", "find -delete", "find . '-delete'"],
  ...[
    "sort -o made a.txt",
    "sort --output=made a.txt",
    "sort --outpu=made a.txt",
    "sort -omade a.txt",
    "sort -uo made a.txt",
  ],
  ...["sort --compress-program=touch a.txt", "sort -T . -S 1 --compress-program='touch made' a.txt"],
  ...[
    "uniq a.txt made",
    "uniq -c a.txt made",
    "sed -i s/a/b/ a.txt",
    "sed --in-place s/a/b/ a.txt",
    "sed -n 'w made' a.txt",
  ],
  ...["sed -n '1w made' a.txt", "sed 's/a/b/w made' a.txt", "sed '1e touch made' a.txt", "sed -n '1,2p;w made' a.txt"],
  ...[
    "sed -n 1p -i a.txt",
    "sed -n 1p a.txt -i",
    "sed -ni 1p a.txt",
    "sed -s -n -i 1p a.txt",
    "sed -n 's/x/touch made/e' a.txt",
  ],
  ...[
    "awk 'BEGIN { print > \"made\" }'",
    "awk 'BEGIN { system(\"touch made\") }'",
    "gawk -i inplace 1 a.txt",
    "perl -e 'unlink q(a.txt)'",
  ],
  ...[
    "xargs touch < a.txt",
    "ls | xargs touch",
    "ls | xargs -I{} rm {}",
    "echo made | xargs touch",
    "ls | parallel touch",
  ],
  ...[
    "tree -o made",
    "tree --output=made",
    "tree -omade",
    "tree -L 1 -o made",
    "rg --pre 'touch made' x",
    "rg --pre=touch x",
  ],
  ...[
    "rg --pre touch a a.txt",
    "rg --hostname-bin touch x",
    "rg -z x",
    "grep -f made x",
    "diff --to-file=x a.txt --output=made",
  ],
  ...[
    "diff -o made a.txt a.txt",
    "jq -n 'input' --rawfile",
    "jq . a.txt --in-place",
    "file -C -m made",
    "file --compile -m a.txt",
  ],
  ...["date -s 2020-01-01", "date --set=2020-01-01", "date 010100002020", "cut -d x --output-delimiter=y a.txt > made"],
  ...["git -c core.pager='touch made' log", "git -c core.pager=touch log", "git --paginate -c core.pager=touch log"],
  ...["git -c alias.log='!touch made' log", "git --config-env=core.pager=X log", "GIT_PAGER='touch made' git -p log"],
  ...["GIT_EXTERNAL_DIFF='touch made' git diff", "git -p log", "git --exec-path=. log", "git --git-dir=evil log"],
  ...[
    "git -C evil log",
    "cd evil && git log",
    "cd evil; git status",
    "git --work-tree=/ status",
    "git log --output=made",
  ],
  ...["git log --output made", "git log --outp=made", "git diff --output=made", "git show --output=made HEAD"],
  ...[
    "git diff --ext-diff",
    "git log -p --ext-diff",
    "git log --textconv -p",
    "git diff --textconv",
    "git show --ext-diff",
  ],
  ...["git grep -O'touch made' x", "git grep --open-files-in-pager=touch x", "git grep -Otouch x", "git grep -O x"],
  ...[
    "git branch made",
    "git branch -D main",
    "git branch -m made",
    "git tag made",
    "git tag -d made",
    "git remote add x y",
  ],
  ...["git remote update", "git stash", "git stash pop", "git stash list --x; git stash", "git config user.name x"],
  ...[
    "git config --get user.name --unset",
    "git config --global user.name x",
    "git commit --allow-empty -m x",
    "git add .",
  ],
  ...[
    "git checkout -- a.txt",
    "git reset --hard",
    "git clean -fd",
    "git rm a.txt",
    "git mv a.txt made",
    "git apply made",
  ],
  ...[
    "git archive -o made HEAD",
    "git bundle create made HEAD",
    "git fetch --upload-pack='touch made' .",
    "git ls-remote ext::x",
  ],
  ...[
    "git cat-file --textconv HEAD:a.txt",
    "git cat-file --filters HEAD:a.txt",
    "git blame --contents made a.txt > made",
  ],
  ...[
    "git rev-parse --parseopt",
    "git worktree add made",
    "git submodule foreach touch made",
    "git help -w log",
    "git gc",
  ],
  ...[
    "git update-index --refresh",
    "git fsck",
    "git init made",
    "git symbolic-ref HEAD refs/heads/x",
    "git notes add -m x",
  ],
  ...[
    "alias ls='touch made'",
    "ls() { touch made; }",
    "function ls { touch made; }",
    "hash -p /bin/rm ls",
    "enable -f x y",
  ],
  ...["cat <<EOF > made\nx\nEOF", "cat <<'E'\n$(touch made)\nE", "cat <<< x > made", "cat << E\n`touch made`\nE"],
  ...["ls $X$(touch made)", "ls $X`touch made`", "ls $((a[$(touch made)]))", "ls $[$(touch made)]", "ls {a,b}>made"],
  ...[
    "ls $'\\x3btouch made'",
    "ls \\;touch made",
    "ls a\u0000; touch made",
    "ls\u2028touch made",
    "ls\u0085touch made",
  ],
  ...["ls\u00a0>made", "=touch made", "~/touch made", "./a.sh", "a.sh", "../bin/touch made", "/usr/bin/touch made"],
  ...["mapfile -C 'touch made' -c 1 x < a.txt", "trap 'touch made' EXIT", "source a.sh", ". a.sh", "coproc touch made"],
  ...["cat a.txt|tee made", "cat a.txt |& tee made", "ls -la | sudo tee made", "head -n1 a.txt>made", "pwd>made"],
  ...[
    "node -e \"require('fs').writeFileSync('made','')\"",
    "node --version -e 1",
    "npm --version --prefix .",
    "npx touch made",
  ],
  ...["python3 -c \"open('made','w')\"", "dd if=a.txt of=made", "install a.txt made", "ln -s a.txt made", "mkdir made"],
  ...[
    "truncate -s 0 a.txt",
    "split a.txt",
    "csplit a.txt 1",
    "shred a.txt",
    "mktemp -p .",
    "tar cf made .",
    "zip made a.txt",
  ],
  ...["patch < made", "ed a.txt", "vi a.txt", "less a.txt", "more a.txt", "man -P 'touch made' ls", "watch touch made"],
  ...[
    "script -c 'touch made'",
    "strace -o made ls",
    "ls --hyperlink > made",
    "curl -o made http://127.0.0.1",
    "wget -O made x",
  ],
];

const quoted = [
  'uniq a.txt "2">/dev/null',
  "uniq a.txt '1'>/dev/null",
  'uniq a.txt ""2>/dev/null',
  "uniq a.txt made2>&1",
];

/** Files may be called `--output=made.txt` or `-delete`, and a pattern may match several. */
const patterns = [
  ...[
    "uniq a*",
    "uniq a.*",
    "uniq ?.txt made",
    "uniq a.{txt,sh}",
    "uniq {a.txt,made}",
    "sort *",
    "sort *.txt",
    "sort -u -- *",
  ],
  ...[
    "sort ?-output=made.txt",
    "sort ^x",
    "find *",
    "find . -name *",
    "find . -newer *",
    "find ?delete",
    "tree *",
    "rg x *",
  ],
  ...[
    "find . -name a* -name -delete",
    "find . -name x{,y} -name -delete",
    "find . -de{lete,}",
    "sort --out{put,}=made a.txt",
  ],
  ...[
    "sort -{o,n} made a.txt",
    "sort {-omade,a.txt}",
    "tree -{o,L} made",
    "git log --{output=made,oneline}",
    "git log *",
  ],
  ...["sort a.txt -o{made,}", "echo {x,y}>made", "file *", "jq . *", "cat a.txt{,}>made", "l{s,}", "ls a{b>made,c}"],
];
const escaped = [
  ...[
    'echo "\\\\$(touch made)"',
    'echo "\\\\\\\\$(touch made)"',
    'echo "\\$(touch made)"',
    'echo "\\$[$(touch made)]"',
  ],
  ...['echo "a\\"; touch made; echo \\"b"', 'echo "a\\\\"; touch made; echo "b"', 'echo "$(touch made)$"'],
  ...['echo "`touch made`"', 'echo "\\`touch made`"', 'echo "\\\\`touch made`"', 'echo "$""$(touch made)"'],
  ...["find . \\( touch made \\)", "find . \\( -exec touch made \\; \\)", "find . \\! -delete", "find . ! -delete"],
  ...[
    "ls \\; touch made",
    "ls \\& touch made",
    "ls \\| tee made",
    "\\( touch made \\)",
    "! touch made",
    "\\! touch made",
  ],
  ...[
    "find . -printf x -fprintf made x",
    "find . -name -delete -delete",
    "find . -maxdepth -delete",
    'echo "$"$(touch made)',
  ],
  ...[
    "find . -type f -exec touch made",
    'echo "\\"$(touch made)"',
    "ls \\\\; touch made",
    "ls \\( touch made \\)",
    "echo [ touch made ]",
    "ls ! touch made",
  ],
];
const tested = [
  ...[
    "test -v 'a[$(touch made)]'",
    "[ -v 'a[$(touch made)]' ]",
    "[ 'a[$(touch made)]' -eq 1 ]",
    "[ -f a.txt ] && touch made",
  ],
  ...[
    "test 'a[$(touch made)]' -gt 0",
    "test -f a.txt && touch made",
    "[ -f a.txt ]; touch made",
    "[ -f a.txt ] > made",
  ],
  ...[
    "test -f a.txt -a -v 'a[$(touch made)]'",
    "[ touch made ]",
    "[[ -v a[$(touch made)] ]]",
    "[ -f a.txt",
    "test -f a.txt ]",
  ],
  ...[
    "command touch made",
    "command -p touch made",
    "command -v touch made",
    "command -v ls; touch made",
    "type -a x>made",
  ],
  ...["python3 --version -c 1", "python3 -c --version", "yarn --version", "pnpm -v", "cargo --version", "go run a.go"],
  ...["go version made", "go env -w A=b", "sort -t, -o made a.txt", "sort -k1 -omade a.txt", "sort -rto -omade a.txt"],
  ...[
    "cut -d, -f1 a.txt > made",
    "rg -g'*' --pre=touch x",
    "tree -Lo made",
    "sort -nomade a.txt",
    "git log -Sx --output=made",
  ],
  ...[
    "git log --format=%G?",
    "git show --pretty=format:%GG",
    "printf -v PATH x",
    "printf '%n' PATH",
    "stat -c x a.txt >made",
  ],
];

const lines = [...patterns, ...escaped, ...tested, ...quoted, ...effects.flatMap(around), ...particular];

test("there are at least 200 hostile lines, no two alike", () => {
  expect(new Set(lines).size).toBeGreaterThanOrEqual(200);
});

test("no hostile line that passes as read-only changes anything in a real shell", async () => {
  await using project = await tmpProject({
    files: {
      ...{ "a.txt": "b\na\n", "a.sh": "touch made\n", "evil/x": "" },
      ...{ "--output=made.txt": "", "-delete": "", "-omade": "", "--pre=touch": "" },
    },
  });
  const before = await project.tree();
  const passed = lines.filter((line) => whyNotReadOnly(line) === undefined);
  for (const line of passed) {
    spawnSync("bash", ["-c", line], { cwd: project.dir, timeout: 10_000, env: { PATH: process.env.PATH ?? "" } });
    expect([line, await project.tree(), await project.read("a.txt")]).toEqual([line, before, "b\na\n"]);
  }
  // A line that cannot write is not hostile: most of them have to be refused, not merely fail.
  expect(passed.length).toBeLessThanOrEqual(5);
});

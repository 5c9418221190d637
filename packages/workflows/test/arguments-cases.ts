// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of a shell, not of a template.
// What the real tools made of a body and an input. arguments.test.ts holds our rules against this, and
// arguments.oracle.test.ts holds the tools themselves against it.

export interface ArgumentCase {
  readonly body: string;
  readonly input: string;
  readonly expected: string;
  /** The frontmatter key `arguments`. */
  readonly names?: readonly string[];
}

type Row = readonly [body: string, input: string, expected: string, names?: readonly string[]];

const toCase = ([body, input, expected, names]: Row): ArgumentCase => ({
  body,
  input,
  expected,
  ...(names && { names }),
});

const words = "[$0|$1|$2] raw [$ARGUMENTS]";
const three = 'one "two words" three';

const claudeRows: readonly Row[] = [
  // Placeholders.
  ["Do $ARGUMENTS now", three, 'Do one "two words" three now'],
  ["$ARGUMENTS $ARGUMENTS", "a", "a a"],
  ["$0 $1 $2", three, "one two words three"],
  ["$ARGUMENTS[0]$ARGUMENTS[1]", three, "onetwo words"],
  ["$0$1", "a b", "ab"],
  ["$ARGUMENTS[a] $ARGUMENTS[-1] $ARGUMENTS[01]", "x y", "x y[a] x y[-1] y"],
  ["$ARGUMENTSX $ARGUMENTS_X", "a", "aX a_X"],
  ["$00 $01", "a b", "a b"],
  ["$0a $0_ $0- $0.", "x", "$0a $0_ x- x."],
  ["$$0 $$ARGUMENTS", "x", "$x $x"],
  ['`$0` "$0" ($0)', "x", '`x` "x" (x)'],
  // Not filled in: what is missing, escaped or no placeholder.
  ["$0 $1 $9", "a", "a $1 $9"],
  ["$9", "a", "$9\n\nARGUMENTS: a"],
  ["$ARGUMENTS[9] x", "a b", "$ARGUMENTS[9] x\n\nARGUMENTS: a b"],
  ["\\$0 and $1", "a b", "$0 and b"],
  ["\\\\$0 \\\\\\$0", "a", "\\\\a \\\\\\a"],
  ["\\$ARGUMENTS", "a", "$ARGUMENTS\n\nARGUMENTS: a"],
  ["\\$x \\$ ${0} ${ARGUMENTS} $arguments", "a", "\\$x \\$ ${0} ${ARGUMENTS} $arguments\n\nARGUMENTS: a"],
  ["$99999999999999999999 $0", "a", "$99999999999999999999 a"],
  ["costs $5.0M, $10 a day, $1,000 or $1k", "a b", "costs $5.0M, $10 a day, b,000 or $1k"],
  // Appended, or not.
  ["plain body", "a b", "plain body\n\nARGUMENTS: a b"],
  ["plain body\n", "a", "plain body\n\n\nARGUMENTS: a"],
  ["plain body", "", "plain body"],
  ["plain body", "   ", "plain body"],
  ["[$0|$ARGUMENTS]", "", "[$0|]"],
  ["x\r\n$0\r\ny", "a", "x\r\na\r\ny"],
  // Named arguments.
  ["$from -> $to", "a b c", "a -> b", ["from", "to"]],
  ["$from -> [$to]", "a", "a -> []", ["from", "to"]],
  ["[$from]", "", "[]", ["from"]],
  ["$fromx $from-x $from_x $from[0]", "a", "$fromx a-x $from_x $from[0]", ["from"]],
  ["\\$from $from", "a", "$from a", ["from"]],
  ["$a.b $a", "1 2", "2 1", ["a", "a.b"]],
  ["$from $0 $ARGUMENTS", "a b", "a a a b", ["from"]],
  ["$1 $0", "x y z", "y x", ["1"]],
  ["$0 $b", "x y z", "x x", ["1", "b"]],
  ["$1 $b $c", "x y z", "y x y", ["b", "1", "c"]],
  ["no name used", "a", "no name used\n\nARGUMENTS: a", ["from"]],
  // What the user typed stays what it is.
  [words, "$1 $0", "[$1|$1|$2] raw [$1 $0]"],
  [words, "$ARGUMENTS y", "[$ARGUMENTS|y|$2] raw [$ARGUMENTS y]"],
  ["$ARGUMENTS", "$& $$ $' $` x", "$& $$ $' $` x"],
  ["no placeholder", "$& $1 $ARGUMENTS", "no placeholder\n\nARGUMENTS: $& $1 $ARGUMENTS"],
  ["$from $to", "$to z", "$to z", ["from", "to"]],
  // A shell line: quotes and backslashes.
  [words, "a  b\tc", "[a|b|c] raw [a  b\tc]"],
  [words, "'x y' \"p 'q' r\" z", "[x y|p 'q' r|z] raw ['x y' \"p 'q' r\" z]"],
  [words, 'x"y z"w "" b', '[xy zw||b] raw [x"y z"w "" b]'],
  [words, 'a\\ b \\"q\\" C:\\x', '[a b|"q"|C:x] raw [a\\ b \\"q\\" C:\\x]'],
  [words, '"a \\"b\\" c" d', '[a \\"b\\" c|d|$2] raw ["a \\"b\\" c" d]'],
  [words, "it's fine; really", "[it's fine; really|$1|$2] raw [it's fine; really]"],
  [words, 'say "hello you', '[say|"hello you|$2] raw [say "hello you]'],
  [words, "é 日本 😀", "[é|日本|😀] raw [é 日本 😀]"],
  [words, '{"a":1} {b,c} x', '[{"a":1}|{b,c}|x] raw [{"a":1} {b,c} x]'],
  // A shell line: everything else.
  [words, "a; b | c", "[a|$1|$2] raw [a; b | c]"],
  [words, "fix #12 now", "[fix|$1|$2] raw [fix #12 now]"],
  [words, "#12 fix", "[#12|fix|$2] raw [#12 fix]"],
  [words, "a > b", "[a|$1|$2] raw [a > b]"],
  [words, "mode=fast src x", "[src|x|$2] raw [mode=fast src x]"],
  [words, "a=b", "[a=b|$1|$2] raw [a=b]"],
  [words, "x $HOME y", "[x|y|$2] raw [x $HOME y]"],
  [words, "x $HOME/y z", "[x|$HOME/y|z] raw [x $HOME/y z]"],
  [words, "x `cmd` y", "[x|$1|$2] raw [x `cmd` y]"],
  [words, "call f(1) now", "[call|now|$2] raw [call f(1) now]"],
  [words, "if it works", "[it|works|$2] raw [if it works]"],
  [words, "for each file", "[file|$1|$2] raw [for each file]"],
  [words, "export all of it", "[export|$1|$2] raw [export all of it]"],
  [words, "[WIP] a = b", "[a|b|$2] raw [[WIP] a = b]"],
  [words, "a\nb", "[a|$1|$2] raw [a\nb]"],
  [words, '"a\nb" c', '[a\nb|c|$2] raw ["a\nb" c]'],
  // An argument must not become a command.
  [words, "!x y!z !", "[\\!x|y!z|\\!] raw [\\!x y!z \\!]"],
  ["$ARGUMENTS", "a !`id` b!`id` ```!\nid", "a \\! `id` b! `id` ``` \\!\nid"],
  ["nothing", "!x", "nothing\n\nARGUMENTS: \\!x"],
];

const claudeBlankRows: readonly Row[] = [
  ["\nHello $0\n", "a b", "Hello a\n"],
  ["\n\n  Hello $0", "a", "Hello a"],
  ["\r\n \r\n\tHello $0", "a", "Hello a"],
  ["\u00a0\ufeffHello $0", "a", "Hello a"],
  ["\u200bHello $0", "a", "\u200bHello a"],
  ["\nplain\n", "a", "plain\n\n\nARGUMENTS: a"],
  [" \n", "a", "\n\nARGUMENTS: a"],
];

const numbered = "[$1|$2|$3] raw [$ARGUMENTS]";

const opencodeRows: readonly Row[] = [
  ["Do $ARGUMENTS now", three, 'Do one "two words" three now'],
  ["$ARGUMENTS $ARGUMENTS", "a", "a a"],
  ["$1 and $2", three, "one and two words three"],
  ["$1", three, "one two words three"],
  ["$2", three, "two words three"],
  ["$3 then $1", "a b c d", "c d then a"],
  ["$2 $2 $1", "a b c", "b c b c a"],
  ["$1$2", "a b", "ab"],
  ["$10|$11|$1", "a", "||a"],
  ["[$9]", "a", "[]"],
  ["$1a $1_", "x y", "x ya x y_"],
  ["\\$1 $$1", "x", "\\x $x"],
  ["\\$ARGUMENTS $ARGUMENTSX", "x", "\\x xX"],
  ["$ARGUMENTS[0]", "x y", "x y[0]"],
  ["$0", "a b c", "c"],
  ["$0 $1", "a b", "undefined a b"],
  ["costs $5.0M, $10 a day, $1,000 or $1k", "a b", "costs .0M,  a day, a,000 or ak"],
  ["costs $0.5M", "a b", "costs b.5M"],
  ["costs $ 5.0M", "a b", "costs $ 5.0M\n\na b"],
  ["${1} $foo", "a", "${1} $foo\n\na"],
  ["plain", "a b", "plain\n\na b"],
  ["plain", '"a b" c', 'plain\n\n"a b" c'],
  ["  plain \n\n", "a", "plain\n\na"],
  ["plain", "", "plain"],
  ["plain", "  ", "plain"],
  ["plain", "  a  ", "plain\n\n  a"],
  ["$1 only", "", "only"],
  ["", "a", "a"],
  ["x\r\n$1\r\ny", "a", "x\r\na\r\ny"],
  [numbered, "a b c d", "[a|b|c d] raw [a b c d]"],
  [numbered, "a  b\tc", "[a|b|c] raw [a  b\tc]"],
  [numbered, " 'x y' z", "[x y|z|] raw [ 'x y' z]"],
  [numbered, "\"x 'q' y\" z", "[x 'q' y|z|] raw [\"x 'q' y\" z]"],
  [numbered, 'x"y z"w', '[x|y z|w] raw [x"y z"w]'],
  [numbered, '"unbalanced one two', '[unbalanced|one|two] raw ["unbalanced one two]'],
  [numbered, "it's fine", "[it|s|fine] raw [it's fine]"],
  [numbered, "a\\ b c", "[a\\|b|c] raw [a\\ b c]"],
  [numbered, '\\"q\\" r', '[\\|q\\|r] raw [\\"q\\" r]'],
  [numbered, '"" b', '[|b|] raw ["" b]'],
  [numbered, "a\nb c", "[a|b|c] raw [a\nb c]"],
  [numbered, '"a\nb" c', '[a\nb|c|] raw ["a\nb" c]'],
  [numbered, "é 日本 😀", "[é|日本|😀] raw [é 日本 😀]"],
  [numbered, "a\u00a0b", "[a|b|] raw [a\u00a0b]"],
  [numbered, "[Image 1] x", "[[Image 1]|x|] raw [[Image 1] x]"],
  [numbered, "!x `id` a;b", "[!x|`id`|a;b] raw [!x `id` a;b]"],
  [numbered, "$1 $2", "[$1|$2|] raw [$1 $2]"],
  ["$1", "$& $$ $1", "$& $$ $1"],
];

const opencodeBlankRows: readonly Row[] = [
  ["\nHello $1\n", "a b", "Hello a b"],
  ["\r\n \r\n\tHello $1", "a", "Hello a"],
  ["\u00a0\ufeffHello $1", "a", "Hello a"],
  ["\nplain\n", "a", "plain\n\na"],
  [" \n", "a", "a"],
];

const copilotBlankRows: readonly Row[] = [
  ["\nHello $0\n", "a b", "Hello a\n"],
  ["\n\n  Hello $0", "a", "  Hello a"],
  [" \n\t Hello $0", "a", "\t Hello a"],
  ["\r\n \r\nHello $0", "a", "Hello a"],
  ["\n\u00a0\nHello $0", "a", "Hello a"],
  ["\u00a0Hello $0", "a", "\u00a0Hello a"],
  ["\n\rHello $0", "a", "\rHello a"],
  ["\nplain\n", "a", "plain\n\n\nARGUMENTS: a"],
  ["   ", "a", "   \n\nARGUMENTS: a"],
];

const copilotRows: readonly Row[] = [
  ["Do $ARGUMENTS now", three, 'Do one "two words" three now'],
  ["$ARGUMENTS $ARGUMENTS", "a", "a a"],
  ["$0 $1 $2", three, "one two words three"],
  ["$ARGUMENTS[0]$ARGUMENTS[1]", three, "onetwo words"],
  ["$0$1", "a b", "ab"],
  ["[$0|$1|$9]", "a", "[a||]"],
  ["[$ARGUMENTS[9]]", "a", "[]"],
  ["$0a $0_ $00", "x", "xa x_ x"],
  ["$ARGUMENTSX", "a", "$ARGUMENTSX\n\nARGUMENTS: a"],
  ["$ARGUMENTS[a] $ARGUMENTS[01]", "x y", "x y[a] y"],
  ["\\$0 and $1", "a b", "$0 and b"],
  ["\\\\$0", "a", "\\$0\n\nARGUMENTS: a"],
  ["\\$ARGUMENTS \\$x", "a", "$ARGUMENTS $x\n\nARGUMENTS: a"],
  ["$$0 $$ARGUMENTS", "x", "$x $x"],
  ["${0} $foo", "a", "${0} $foo\n\nARGUMENTS: a"],
  ["$from", "a", "$from\n\nARGUMENTS: a", ["from"]],
  ["plain", "a b", "plain\n\nARGUMENTS: a b"],
  ["plain", "", "plain"],
  ["plain", "   ", "plain"],
  ["[$0|$ARGUMENTS]", "", "[|]"],
  [words, "  a  b\tc  ", "[a|b|c] raw [a  b\tc]"],
  [words, "'x y' \"p 'q' r\" z", "[x y|p 'q' r|z] raw ['x y' \"p 'q' r\" z]"],
  [words, 'x"y z"w "" b', '[xy zw||b] raw [x"y z"w "" b]'],
  [words, "it's fine", "[its fine||] raw [it's fine]"],
  [words, 'say "hello you', '[say|hello you|] raw [say "hello you]'],
  [words, '"a \\"b\\" c" d', '[a \\b\\ c|d|] raw ["a \\"b\\" c" d]'],
  [words, "a\\ b C:\\x", "[a\\|b|C:\\x] raw [a\\ b C:\\x]"],
  [words, "a;b #c > d", "[a;b|#c|>] raw [a;b #c > d]"],
  [words, "a=b $HOME `id`", "[a=b|$HOME|`id`] raw [a=b $HOME `id`]"],
  [words, "a\nb c", "[a|b|c] raw [a\nb c]"],
  [words, "é 日本 😀", "[é|日本|😀] raw [é 日本 😀]"],
  [words, "a\u00a0b", "[a|b|] raw [a\u00a0b]"],
  [words, "$1 $ARGUMENTS", "[$1|$ARGUMENTS|] raw [$1 $ARGUMENTS]"],
  ["$ARGUMENTS", "$& $$ $' $` !`id`", "$& $$ $' $` !`id`"],
];

export const claudeCases: readonly ArgumentCase[] = [...claudeRows, ...claudeBlankRows].map(toCase);
export const opencodeCases: readonly ArgumentCase[] = [...opencodeRows, ...opencodeBlankRows].map(toCase);
export const copilotCases: readonly ArgumentCase[] = [...copilotRows, ...copilotBlankRows].map(toCase);

/** Where OpenCode changes the user's input in ways that no user could want, and we do not. */
export const opencodeDifferences: readonly (ArgumentCase & { readonly inOpenCode: string })[] = [
  { body: "[$ARGUMENTS]", input: "a $& b", expected: "[a $& b]", inOpenCode: "[a $ARGUMENTS b]" },
  { body: "[$ARGUMENTS]", input: "$$ b", expected: "[$$ b]", inOpenCode: "[$ b]" },
  { body: "[$ARGUMENTS]", input: "a $' b", expected: "[a $' b]", inOpenCode: "[a ] b]" },
  { body: "$1 [$2]", input: "$ARGUMENTS b", expected: "$ARGUMENTS [b]", inOpenCode: "$ARGUMENTS b [b]" },
  { body: "[$ARGUMENTS]", input: "!`echo ran` b", expected: "[!`echo ran` b]", inOpenCode: "[ran\n b]" },
];

/** Claude Code follows the whole grammar of a shell; we stop where no sentence begins. */
export const claudeDifferences: readonly (ArgumentCase & { readonly inClaude: string })[] = [
  { body: "[$0|$1]", input: "f() x", expected: "[f|x]", inClaude: "[x|$1]" },
  { body: "[$0|$1]", input: "case x in y", expected: "[y|$1]", inClaude: "[case|x]" },
  { body: "[$0|$1]", input: "[[ a == b ]]", expected: "[==|b]", inClaude: "[[[|a]" },
  { body: "[$0|$1]", input: "x {1..3} y", expected: "[x|{1..3}]", inClaude: "[x|y]" },
  { body: "[$0|$1]", input: "((a) b) c", expected: "[((a)|b)]", inClaude: "[b|$1]" },
  // It also runs commands and knows its session; both are left to the host.
  { body: "!`echo $0`", input: "hi", expected: "!`echo hi`", inClaude: "hi" },
];

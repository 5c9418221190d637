import { expect, test } from "bun:test";
import { commentsIn, tooManyComments } from "../../src/turn/comments.ts";

test.each([
  ["a.ts", 'const a = "// no"; // yes', ["// yes"]],
  ["a.ts", "const a = `\n// no\n`; /* yes\nyes */ b", ["/* yes\nyes */"]],
  ["a.ts", "const url = /https?:\\/\\/['\"]/; // yes", ["// yes"]],
  ["a.ts", "const half = a / b; // yes", ["// yes"]],
  ["a.ts", "f(/[/*]/g); // yes", ["// yes"]],
  ["a.ts", "return /[/*]/.test(x); // yes", ["// yes"]],
  ["a.ts", "const half = returned / b / c; // yes", ["// yes"]],
  ["a.tsx", "<p>See http://no.example</p> {/* yes */}", ["/* yes */"]],
  ["a.tsx", "<A b={c} /> {/* yes */}", ["/* yes */"]],
  ["a.ts", "'it\\'s // no'", []],
  ["a.py", 'x = \'# no\'  # yes\n"""\n# no\n"""', ["# yes"]],
  ["a.sh", "echo $# a#b # yes", ["# yes"]],
  ["a.rs", "fn a<'a>(x: &'a str) {} // yes", ["// yes"]],
  ["a.go", "s := `// no` // yes", ["// yes"]],
  ["a.sql", "select '-- no' -- yes", ["-- yes"]],
  ["a.css", "a { background: url(//no) } /* yes */", ["/* yes */"]],
  ["a.scss", "a { background: url(http://no/a) }\nb { background: url(//no) } // yes", ["// yes"]],
  ["a.html", "<a href='//no'>don't</a><!-- yes -->", ["<!-- yes -->"]],
  ["a.svelte", "<!-- one -->\n<p>don't</p>\n<script>\n// two\n</script>", ["<!-- one -->", "// two"]],
  ["a.svelte", "<p>https://no.example</p>\n<script>\nlet a = 1; // yes\n</script>", ["// yes"]],
  ["a.md", "# a title", []],
  ["Makefile", "# a comment", []],
])("%s: %j", (path, code, comments) => {
  expect(commentsIn(path, code)).toEqual(comments);
});

const chatty = "// adds one\nlet a = 1;\n// adds two\na += 2;\n// returns it\nreturn a;\n";

test("comments on every line are too many, and are counted", () => {
  expect(tooManyComments("a.ts", chatty)).toEqual({ comments: 3, lines: 6 });
});

test.each([
  ["two are fine", "// why\nf();\n// why\n", ""],
  ["in long code three are fine", `${chatty}${"f();\n".repeat(5)}`, ""],
  ["those that were there do not count", chatty, chatty],
  ["nor does what tools read", "// @ts-check\n// eslint-disable-next-line x\n// biome-ignore lint: y\nf();\n", ""],
  ["nor documentation", "/**\n * Adds.\n * Two.\n */\nfunction add() {}\n", ""],
  ["nor a license", "/* Copyright me.\nAll rights.\nMIT license. */\nf();\n", ""],
])("%s", (_, code, before) => {
  expect(tooManyComments("a.ts", code, before)).toBeUndefined();
});

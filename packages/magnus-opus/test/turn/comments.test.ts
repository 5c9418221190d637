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
  ["a.svelte", "<script>\nlet a = 'x // no'; // yes\n</script>\n<p>don't // no, it's text</p>", ["// yes"]],
  ["a.svelte", "let a = 'x // no'; // yes\n", ["// yes"]],
  ["a.vue", "<style>\n/* yes */\n</style>\n<template>// no</template>", ["/* yes */"]],
  ["a.astro", "---\n// yes\nconst a = 'b // no';\n---\n<p>// no</p>", ["// yes"]],
  ["a.php", "#[Route('/x')]\nfunction a() {} # yes\n// yes", ["# yes", "// yes"]],
  ["a.php", "$a = <<<EOT\n// no\n# no\nEOT;\n// yes", ["// yes"]],
  ["a.kt", 'val s = """\n  // no\n""" // yes', ["// yes"]],
  ["a.java", 'var s = """\n  // no\n  """; // yes', ["// yes"]],
  ["a.ex", '@doc """\n# no\n"""\nx # yes', ["# yes"]],
  ["a.sh", "cat <<'EOF' > x # yes\n# no\nEOF\n# yes too", ["# yes", "# yes too"]],
  ["a.sh", 'cat <<A <<-"B"\n# no\nA\n# no\n\tB\n# yes', ["# yes"]],
  ["a.sh", "read x <<< EOF\n# yes", ["# yes"]],
  ["a.rb", "sql = <<~SQL\n  # no\nSQL\n# yes", ["# yes"]],
  ["a.rb", "a <<b\n# yes", ["# yes"]],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
  ["a.ts", "const a = `x ${b ? `// no` : '// no'} {`; // yes", ["// yes"]],
  ["a.md", "# a title", []],
  ["Makefile", "# a comment", []],
])("%s: %j", (path, code, comments) => {
  expect(commentsIn(path, code).map(({ text }) => text)).toEqual(comments);
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

const documented = `package cart

// ErrEmpty is returned when the cart has no lines.
// It is not wrapped.
var ErrEmpty = errors.New("empty")

// Line is one item in a cart.
type Line struct {
\t// SKU is the number on its box.
\tSKU string
}

// Len returns the number of lines.
func (c Cart) Len() int { return len(c.lines) }
`;

test("Go's and Ruby's documentation does not count, but other comments do", () => {
  expect(tooManyComments("cart.go", documented)).toBeUndefined();
  const ruby = "# Money.\nclass Money\n  # In cents.\n  attr_reader :cents\n  # The sum.\n  def +(other) = 1\nend\n";
  expect(tooManyComments("money.rb", ruby)).toBeUndefined();
  const inside = "// Add adds.\nfunc Add() int {\n\t// one\n\ta := 1\n\t// two\n\ta += 2\n\treturn a // three\n}\n";
  expect(tooManyComments("cart.go", inside)).toEqual({ comments: 3, lines: 8 });
  expect(tooManyComments("cart.go", "// old\n\nfunc a() {}\n// old\n\n// old\n")).toEqual({ comments: 3, lines: 4 });
});

test("PHP's attributes do not count", () => {
  const code =
    "<?php\n#[Route('/api')]\n#[AsController]\nfinal class A\n{\n    #[ORM\\Column]\n    private int $id;\n}\n";
  expect(tooManyComments("A.php", code)).toBeUndefined();
});

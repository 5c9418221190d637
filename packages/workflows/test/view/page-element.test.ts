import { expect, test } from "bun:test";
import { element, htmlOf, stillPage } from "../../src/view/page-element.ts";

test("text becomes text, in an element and in an attribute", () => {
  const html = htmlOf(element("p", { title: `" onmouseover="alert(1)` }, `<script>alert("&")</script>`));
  expect(html).toBe(
    '<p title="&quot; onmouseover=&quot;alert(1)">&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;</p>',
  );
});

test("elements, lists and numbers are printed in order, and what is nothing is not", () => {
  const inner = [element("b", {}, "ours"), ["<", 2], undefined, false] as const;
  expect(htmlOf(element("i", { class: undefined, hidden: true, open: false, key: "a" }, ...inner))).toBe(
    "<i hidden><b>ours</b>&lt;2</i>",
  );
  expect(htmlOf([element("br"), element("input", { value: 3 })])).toBe('<br><input value="3">');
});

test("listeners are for browsers only", () => {
  expect(htmlOf(element("button", { onclick: () => undefined }, "Go"))).toBe("<button>Go</button>");
});

test("characters that hide text or turn it around become visible; line breaks stay", () => {
  expect(htmlOf("a\u202eb\u200bc\nd")).toBe("a\\u{202e}b\\u{200b}c\nd");
});

test("a page without scripts cannot load anything, and its title is text", () => {
  const page = stillPage("</title><script>", "p { color: red }", element("p", {}, "text"));
  expect(page).toContain("<title>&lt;/title&gt;&lt;script&gt;</title>");
  expect(page).toContain(
    `content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"`,
  );
  expect(page).toEndWith("<p>text</p>\n</body>\n</html>\n");
});

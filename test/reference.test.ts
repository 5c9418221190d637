// docs/reference says what the sources say: `npm run reference` writes it again.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codesOf, errorClasses, errorTexts } from "../scripts/reference/error-page.ts";
import { eventsOfMagnus, eventsOfRuns } from "../scripts/reference/event-page.ts";
import { variables } from "../scripts/reference/settings-page.ts";
import { commentOf, parseSource, textsOf } from "../scripts/reference/source.ts";
import { referencePages } from "../scripts/reference.ts";

const root = dirname(import.meta.dir);
const products = ["atomic", "durable-files", "engine-postgres", "hugo", "magnus-opus", "terminal", "workflows"];
const sources = products.flatMap((name) => {
  const src = join(root, "packages", name, "src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return files.map((file) => readFileSync(join(src, file), "utf8"));
});

const pages = await referencePages(root);

describe("the reference", () => {
  test.each([...pages.keys()])("%s is what `npm run reference` writes", (path) => {
    expect(readFileSync(join(root, path), "utf8")).toBe(pages.get(path) ?? "");
  });

  test("every link leads to a page that exists, and to a heading on it", () => {
    const links = [...pages].flatMap(([path, text]) =>
      Array.from(text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g), ([, file = "", heading]) => {
        const target = file === "" ? join(root, path) : join(root, dirname(path), file);
        return { path, target, heading };
      }),
    );
    expect(links.length).toBeGreaterThan(50);
    const dead = links.filter(({ target, heading }) => {
      if (!existsSync(target)) return true;
      return heading !== undefined && !anchorsOf(readFileSync(target, "utf8")).includes(heading);
    });
    expect(dead).toEqual([]);
  });

  test("every event and every code of an error says what it means", () => {
    const events = [...eventsOfRuns(root), ...eventsOfMagnus(root)];
    const codes = errorClasses.flatMap((each) => codesOf(each, root));
    expect([events.length > 40, codes.length > 80]).toEqual([true, true]);
    expect(events.filter(({ type, means }) => type === "" || means === undefined)).toEqual([]);
    expect(codes.filter(({ name, means }) => name === "" || means === undefined)).toEqual([]);
  });

  test("every setting says what it means", () => {
    const settings = pages.get("docs/reference/settings.md") ?? "";
    expect(settings.match(/^\| `budget\.phases\.<name>\.usd` \|/m)).not.toBeNull();
    expect(settings.match(/^\| `[^`]+` \| [^|]* \| {2}\|$/gm)).toBeNull();
  });

  test("every error class that a program shows is on the page of errors", () => {
    // Only ever inside of a run, whose journal has its text.
    const inside = ["PermanentError"];
    const shown = pages.get("docs/reference/errors.md") ?? "";
    const classes = sources.flatMap((text) =>
      Array.from(text.matchAll(/class (\w+) extends ExplainedError\b[\s\S]*?super\((?:"([\w-]+)")?/g)),
    );
    expect(classes.length).toBeGreaterThan(10);
    const known = [...errorClasses.map(({ name }) => name), ...inside];
    const missing = classes.filter(([, name = "", code]) => {
      return !known.includes(name) && (code === undefined || !shown.includes(`\n### \`${code}\`\n`));
    });
    expect(missing.map(([, name]) => name)).toEqual([]);
  });

  test("every variable of ours that the sources read is on the page of settings, and no other", () => {
    // Our programs set these for their own children.
    const internal = ["ATOMIC_WATCHED", "ATOMIC_WORKER", "MAGNUS_OPUS_AGENT", "ATOMIC_TESTING_MARK_"];
    const read = sources.flatMap((text) =>
      Array.from(text.matchAll(/\b(?:HUGO|ATOMIC|MAGNUS)_[A-Z_]+\b/g), ([name]) => name),
    );
    const expected = [...new Set(read)].filter((name) => !internal.includes(name)).toSorted();
    expect(variables.map(([name]) => name).toSorted()).toEqual(expected);
  });

  test("nearly all errors say what to do, and no hint that a program prints is left out", () => {
    const shown = pages.get("docs/reference/errors.md") ?? "";
    expect(shown).toMatch(/^\| Workflow "…" is already installed: … from … \| \S.* \|$/m);
    expect(shown).toMatch(/^\| The registry … does not have … \| Printed with the message\. \|$/m);
    const [rows = [], empty = []] = [/^\| .* \|$/gm, /^\| .* \| {2}\|$/gm].map((row) => shown.match(row) ?? []);
    expect(empty.length / rows.length).toBeLessThan(0.1);
  });

  test("most places that throw an error are shown with its message", () => {
    const texts = errorTexts(root);
    expect(texts.length).toBeGreaterThan(250);
    expect(texts.filter(({ messages }) => messages.length > 0).length / texts.length).toBeGreaterThan(0.85);
  });
});

describe("what the sources say", () => {
  test("comments above and behind", () => {
    const source = parseSource("x.ts", "/** One\n * two. */\ntype A = 1; // three\ntype B = 2; // four\ntype C = 3;\n");
    const [a, b, c] = source.nodes.filter(({ type }) => type === "TSTypeAliasDeclaration");
    expect([a, b, c].map((node) => node && commentOf(source, node))).toEqual(["One two.", "four", undefined]);
  });

  test("texts, with … for what is filled in", () => {
    const texts = ["hint", "`$\\{a} is not $\\{b}`", 'c ? "Yes, it is" : "No"', "safe`$\\{a} failed` + more()", "a"];
    const call = `const hint = "Do it again.";\nf(${texts.join(", ").replaceAll("\\", "")});\n`;
    const source = parseSource("x.ts", call);
    const found = source.nodes.find(({ type }) => type === "CallExpression")?.arguments ?? [];
    const shown = (found as readonly unknown[]).map((argument) => textsOf(argument, source));
    expect(shown).toEqual([["Do it again."], ["… is not …"], ["Yes, it is", "No"], ["… failed …"], []]);
  });
});

/** As hosting sites make them from headings. */
function anchorsOf(markdown: string): readonly string[] {
  return Array.from(markdown.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
}

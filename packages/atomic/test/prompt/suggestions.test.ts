import { describe, expect, test } from "bun:test";
import { getCommandHint } from "@atomic/workflows/internal/entities/hints";
import { needsArguments, wantedValues } from "../../src/prompt/line/argument-hint.ts";
import { ownEntries } from "../../src/prompt/line/own-commands.ts";
import { catalogOf, suggest } from "../../src/prompt/line/suggestions.ts";
import { entry } from "./world.ts";

const names = ["commit", "comet", "create-commit", "compact", "explain-code", "team-code-map", "recommend", "Éclair"];
const catalog = catalogOf(names.map((name) => entry(name.toLowerCase())));

describe("suggestions", () => {
  test.each([
    ["commit", ["commit", "create-commit"]],
    ["com", ["comet", "commit", "compact", "create-commit", "recommend", "team-code-map"]],
    ["COM", ["comet", "commit", "compact", "create-commit", "recommend", "team-code-map"]],
    ["code", ["explain-code", "team-code-map"]],
    ["cmt", ["comet", "commit", "compact", "create-commit"]],
    ["z", []],
    ["écl", ["éclair"]],
  ])("for %j are %j: prefix, word, part, letters", (typed, expected) => {
    expect(suggest(catalog, typed).map(({ name }) => name)).toEqual(expected);
  });

  test("of equally good matches, those used most come first", () => {
    const used = catalogOf(
      catalog.entries,
      new Map([
        ["compact", 3],
        ["commit", 1],
      ]),
    );
    expect(
      suggest(used, "com")
        .map(({ name }) => name)
        .slice(0, 3),
    ).toEqual(["compact", "commit", "comet"]);
    // A better match wins all the same.
    expect(suggest(used, "comet")[0]?.name).toBe("comet");
  });

  test("an alias leads to its entry, and a name beats an alias", () => {
    const aliased = catalogOf([
      entry("explain-code", undefined, { aliases: ["Explain"] }),
      entry("other", "", { aliases: ["explain-code"] }),
    ]);
    expect(aliased.find("explain")?.name).toBe("explain-code");
    expect(aliased.find("EXPLAIN-CODE")?.name).toBe("explain-code");
    expect(suggest(aliased, "expl").map(({ name }) => name)).toContain("explain-code");
    expect(suggest(aliased, "exc", "prefix")).toEqual([]);
  });

  test("a name that begins with what was typed comes before one of which only an alias does", () => {
    const aliased = catalogOf([
      entry("create-spec", undefined, { aliases: ["spec"] }),
      entry("ship"),
      entry("pre-sale"),
    ]);
    const namesFor = (typed: string): string[] => suggest(aliased, typed).map(({ name }) => name);
    expect(namesFor("s")).toEqual(["ship", "create-spec", "pre-sale"]);
    expect(namesFor("spec")).toEqual(["create-spec"]);
    expect(suggest(aliased, "s", "prefix").map(({ name }) => name)).toEqual(["ship", "create-spec"]);
  });
});

describe("a hint", () => {
  test.each([
    [undefined, false],
    ["", false],
    ["[message] | --amend", false],
    ["--yolo <prompt> | --resume <run> | --max-iterations <n> | --tasks <path>", false],
    ["<version> | --draft", true],
    ["<file-path> [function-name]", true],
    ["select | list [provider]", true],
    ["[model] | select | list [provider]", false],
    ["[--draft] <version> | list", true],
    ["[run] [answer…]", false],
    ["[[nested] group]", false],
    // As in any usage line, only what is in brackets can be left out; beside a bar, an option is one of several ways.
    ["--level=<n>", true],
    ["--file <path> [note] [--draft]", true],
    ["[--level <n>]", false],
    ["--dry-run", false],
  ])("%j needs arguments: %j", (hint, expected) => expect(needsArguments(hint)).toBe(expected));

  test.each<readonly [string | undefined, string, string, readonly string[], readonly string[]]>([
    ["<file-path> [function-name]", "", "", [], ["file"]],
    ["[run] [answer…]", "", "", [], ["run"]],
    ["<workflow> [arguments…]", "", "", [], ["workflow"]],
    ["<cron> <workflow> [arguments…]", "daily ", "", [], ["workflow"]],
    ["<file|workflow>", "", "", [], ["file", "workflow"]],
    ["--resume <run>", "--resume ", "", [], ["run"]],
    ["--resume <run> | --draft", "", "--d", ["--resume", "--draft"], []],
    ["--resume <run> | --draft", "--draft ", "-", ["--resume"], []],
    ["[model] | select | list [provider]", "", "", ["select", "list"], ["model"]],
    ["[model] | select | list [provider]", "list ", "", [], ["provider"]],
    ["[host]", "", "", [], ["host"]],
    ["[command]", "", "", [], ["entry"]],
    ["<question or topic>", "", "src", [], ["file"]],
    ["[dev|staging|prod]", "", "", ["dev", "staging", "prod"], []],
    ["<dev | staging | prod> [file]", "", "", ["dev", "staging", "prod"], []],
    ["<dev | staging | prod> [file]", "dev ", "", [], ["file"]],
    ["(low|high) <run>", "", "l", ["low", "high"], []],
    ["<file> [--format json|text]", "a --format ", "", ["json", "text"], []],
    ["[--format=<json|text>] <file>", "--format ", "", ["json", "text"], []],
    ["[--format=<json|text>] <file>", "", "", [], ["file"]],
    ["<run|session-id>", "", "", [], ["run"]],
    ["[file|folder]", "", "", [], ["file"]],
    ["add [tag] | remove [tag] | list", "", "", ["add", "remove", "list"], []],
    [undefined, "", "", [], ["file"]],
    ["", "", "", [], []],
  ])("%j behind %j, at %j: words %j, values from %j", (hint, before, word, words, sources) => {
    expect(wantedValues(hint, before, word)).toEqual({ words, sources } as never);
  });
});

test("nothing in the hint list is without an answer", () => {
  const hinted = ["ralph", "commit", "research-codebase", "create-spec", "implement-feature", "create-feature-list"];
  const more = ["create-gh-pr", "explain-code", "model", "compact", "resume", "clear", "help"];
  const own = ownEntries.map(({ name }) => name);
  // The others are builtin skills and the builtin workflow.
  const builtin = [...hinted, "create-gh-pr", "explain-code"];
  for (const name of [...hinted, ...more]) {
    expect(getCommandHint(name)).toBeDefined();
    expect(own.includes(name) || builtin.includes(name)).toBe(true);
  }
});

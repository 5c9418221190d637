import type { Tree } from "../tree.ts";

/** A file's content, given the name that it is planted under. */
type Content = (name: string) => string;

const keys =
  (lines: string, body = "Body\n"): Content =>
  (name) =>
    `---\nname: ${name}\n${lines.replaceAll("NAME", name)}\n---\n${body.replaceAll("NAME", name)}`;
const described = (lines: string, body?: string): Content => keys(`description: About NAME\n${lines}`, body);
const whole =
  (text: string): Content =>
  (name) =>
    text.replaceAll("NAME", name);

/** The letter KA with what takes its vowel away, in ten scripts. */
const indic = ["क्", "ক্", "ਕ੍", "ક્", "କ୍", "க்", "క్", "ಕ್", "ക്", "ක්"];

const description: Record<string, Content> = {
  plain: keys("description: About NAME"),
  "no-description": keys("other: x", "\n# Heading of NAME\n\nSecond line\nThird line\n"),
  "empty-description": keys('description: ""'),
  "blank-description": keys('description: "   "'),
  "description-spaces": keys('description: "  About NAME  "'),
  "description-lines": keys("description: |\n  About NAME\n  in two lines"),
  "description-folded": keys("description: >\n  About NAME\n  in two lines"),
  "description-escapes": keys('description: "About\\nNAME\\tand"'),
  "description-backslash": keys("description: About\\nNAME"),
  "description-yes": keys("description: yes", "Body of NAME"),
  "description-quoted": keys("description: \"About: 'NAME'\""),
  "description-quoted-date": keys("description: '2026-01-01'", "Body of NAME"),
  "description-comment": keys("# a comment\ndescription: About NAME # and another"),
  "description-tags": keys("description: About <b>NAME</b> & more"),
  "description-invisible": keys('description: "About\\u200bNAME\\u202e"'),
  "description-emoji": keys("description: NAME 👩‍💻 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👨‍👩‍👧‍👦 🫱🏻‍🫲🏿"),
  "description-emoji-odd": keys(
    'description: "NAME 👩\\u200d a\\u200d👩 👩\\u200d🐶 ⌚\\ufe0f #\\ufe0f ❤\\ufe0e ❤️\\ufe0f"',
  ),
  "description-persian": keys('description: "NAME می\\u200cخواهم خانه\\u200cای بَ\\u200cب ب\\u200c\\u06d5"'),
  "description-persian-odd": keys(
    'description: "NAME می\\u200c a\\u200cب ا\\u200cب ب\\u200cء ب\\u200c\\ufb50 ب\\u200c\\u08ad ب\\u200c\\u200cب ب\\u200dب ب\\u200c1"',
  ),
  "description-indic": keys(
    `description: "NAME ${indic.map((ka) => `${ka}\\u200d${ka} ${ka}\\u200c${ka}`).join(" ")}"`,
  ),
  "description-indic-odd": keys('description: "NAME क\\u200dष क्\\u200d क़्\\u200dष क्\\u200dি a्\\u200dष"'),
  "description-unseen": keys('description: "NAME a\\u00adb\\u2800c\\u3164d\\ue000e\\u034ff\\u2028\\u2029g\\u00a0h"'),
  "description-1024": (name) => keys(`description: ${name}${"é".repeat(1024 - name.length)}`)(name),
  "description-1025": (name) => keys(`description: ${name}${"é".repeat(1025 - name.length)}`)(name),
  "description-tagged": keys("description: !!str About NAME"),
  "description-json": whole('---\n{"name": "NAME", "description": "About NAME"}\n---\nBody\n'),
  "description-anchor": keys("other: &a About NAME\ndescription: *a"),
};

/** OpenCode does not start with these in its own folders. */
const fatalDescription: Record<string, Content> = {
  "description-null": keys("description:", "Body of NAME"),
  "description-true": keys("description: true", "Body of NAME"),
  "description-number": keys("description: 42", "Body of NAME"),
  "description-list": keys("description: [a, b]", "Body of NAME"),
  "description-date": keys("description: 2026-01-01", "Body of NAME"),
};

const name: Record<string, Content> = {
  "no-name": whole("---\ndescription: About NAME\n---\nBody\n"),
  "other-name": whole("---\nname: NAME-renamed\ndescription: About NAME\n---\nBody\n"),
  "Upper-Name": described(""),
  Bad_Name: described(""),
  "space name": described(""),
  "ünïcode-name": described(""),
  "long-name": whole(`---\nname: NAME-${"n".repeat(64)}\ndescription: About NAME\n---\nBody\n`),
  "colon-name": whole("---\nname: a:NAME\ndescription: About NAME\n---\nBody\n"),
  "slash-name": whole("---\nname: ../NAME\ndescription: About NAME\n---\nBody\n"),
  "name-spaces": whole('---\nname: "  NAME  "\ndescription: About NAME\n---\nBody\n'),
  "upper-keys": whole("---\nName: NAME-upper\nDescription: About NAME\n---\nBody of NAME\n"),
};

/** What a skill is shown as; elsewhere these would be names like any other. */
const skillNames: Record<string, Content> = Object.fromEntries(
  ["NAME\\u200b", "👩‍💻 NAME", "  NAME spaced", "NAME  two", "NAME\\u00a0x", "NAME\\tx", "<NAME>", "NAME & more"].map(
    (shown, i) => [`shown-name-${i}`, whole(`---\nname: "${shown}"\ndescription: About NAME\n---\nBody\n`)],
  ),
);
for (const length of [256, 257]) {
  skillNames[`shown-name-${length}`] = (planted) =>
    `---\nname: ${planted}${"n".repeat(length - planted.length)}\ndescription: About ${planted}\n---\nBody\n`;
}

const numberName: Record<string, Content> = {
  "number-name": (planted) => `---\nname: ${planted.length}\ndescription: About ${planted}\n---\nBody\n`,
};

const frame: Record<string, Content> = {
  "no-frontmatter": whole("First line of NAME\nsecond line\n"),
  "empty-frontmatter": whole("---\n---\nBody of NAME\n"),
  "comment-frontmatter": whole("---\n# nothing\n---\nBody of NAME\n"),
  "list-frontmatter": whole("---\n- a\n- b\n---\nBody of NAME\n"),
  "text-frontmatter": whole("---\njust text\n---\nBody of NAME\n"),
  "no-body": whole("---\nname: NAME\ndescription: About NAME\n---\n"),
  "no-last-newline": whole("---\nname: NAME\ndescription: About NAME\n---"),
  bom: whole("\ufeff---\nname: NAME\ndescription: About NAME\n---\nBody\n"),
  crlf: whole("---\r\nname: NAME\r\ndescription: About NAME\r\n---\r\nBody\r\n"),
  "bom-crlf": whole("\ufeff---\r\nname: NAME\r\ndescription: About NAME\r\n---\r\nBody\r\n"),
  "fence-spaces": whole("--- \nname: NAME\ndescription: About NAME\n--- \nBody\n"),
  "fence-no-break-space": whole("---\u00a0\nname: NAME\ndescription: About NAME\n---\nBody of NAME\n"),
  "fence-end-no-break-space": whole("---\nname: NAME\ndescription: About NAME\n---\u00a0\nBody of NAME\n"),
  "fence-wide-space": whole("---\u3000\r\nname: NAME\r\ndescription: About NAME\r\n---\u3000\r\nBody of NAME\r\n"),
  "fence-next-line": whole("---\u0085\nname: NAME\ndescription: About NAME\n---\u0085\nBody of NAME\n"),
  "fence-separator": whole("---\u2028\nname: NAME\ndescription: About NAME\n---\nBody of NAME\n"),
  "fence-form-feed": whole("---\f\nname: NAME\ndescription: About NAME\n---\v\nBody of NAME\n"),
  "fence-byte-order-mark": whole("---\ufeff\nname: NAME\ndescription: About NAME\n---\nBody of NAME\n"),
  "fence-unseen": whole("---\u200b\nname: NAME\ndescription: About NAME\n---\nBody of NAME\n"),
  "old-mac": whole("---\rname: NAME\rdescription: About NAME\r---\rBody of NAME\rSecond\r"),
  "old-mac-body": whole("First of NAME\rSecond\r\rThird\u2028Fourth\nFifth"),
  "fence-long": whole("----\nname: NAME\ndescription: About NAME\n----\nBody of NAME\n"),
  "fence-indented": whole("\n---\nname: NAME\ndescription: About NAME\n---\nBody\n"),
  "fence-in-value": keys("description: About --- NAME\nargument-hint: after"),
  unterminated: whole("---\nname: NAME\ndescription: About NAME\nBody of NAME\n"),
  "unterminated-yaml": whole("---\nname: NAME\ndescription: About NAME\n"),
  "two-blocks": whole("---\nname: NAME\ndescription: About NAME\n---\n---\nfoo: bar\n---\nBody\n"),
  "yaml-language": whole("---yaml\nname: NAME\ndescription: About NAME\n---\nBody of NAME\n"),
};

const invalid: Record<string, Content> = {
  colon: keys("description: Use when: NAME is asked for"),
  "colon-lines": keys("description: Use when: NAME\n  is asked for", "Body of NAME\n"),
  "colon-crlf": whole("---\r\nname: NAME\r\ndescription: Use when: NAME\r\n---\r\nBody of NAME\r\n"),
  "colon-hint": described("argument-hint: a: b"),
  "colon-and-bracket": keys("description: Use when: NAME\nother: [x"),
  bracket: keys("description: [About NAME", "Body of NAME\n"),
  brace: keys("description: {About NAME", "Body of NAME\n"),
  at: keys("description: @NAME", "Body of NAME\n"),
  star: keys("description: *About* NAME", "Body of NAME\n"),
  backtick: keys("description: `NAME`", "Body of NAME\n"),
  percent: keys("description: %NAME", "Body of NAME\n"),
  duplicate: keys("description: About NAME\ndescription: Again about NAME", "Body of NAME\n"),
  "duplicate-inside": described("metadata:\n  a: 1\n  a: 2"),
};

const hints: Record<string, Content> = {
  "hint-text": described("argument-hint: <file> [--all]", "$ARGUMENTS"),
  "hint-list": described("argument-hint: [message]", "$ARGUMENTS"),
  "hint-list-two": described("argument-hint: [a, b]", "$ARGUMENTS"),
  "hint-two-lists": described("argument-hint: [a, b] [c]", "$ARGUMENTS"),
  "hint-number": described("argument-hint: 12", "$1 $2"),
  "hint-true": described("argument-hint: true"),
  "hint-null": described("argument-hint:"),
  "hint-map": described("argument-hint: {a: b}"),
  "hint-list-map": described("argument-hint: [env: prod|staging]"),
  "hint-empty": described('argument-hint: ""'),
  "hint-spaces": described('argument-hint: "  <x>  "'),
  "named-arguments": described("arguments: [foo, bar]", "$foo $bar"),
  placeholders: described("", "$1 $2 $ARGUMENTS"),
};

const flags: Record<string, Content> = {
  "user-false": described("user-invocable: false"),
  "user-false-text": described('user-invocable: "false"'),
  "user-no": described("user-invocable: no"),
  "user-null": described("user-invocable:"),
  "user-one": described("user-invocable: 1"),
  "user-true": described("user-invocable: true"),
  "user-map": described("user-invocable: {x}"),
  "user-list-map": described("user-invocable: [{x}]"),
  "model-off": described("disable-model-invocation: true"),
  "model-off-text": described('disable-model-invocation: "true"'),
  paths: described("paths: src/**"),
  "allowed-number": described("allowed-tools: 42"),
  "allowed-list": described("allowed-tools: [Read, Grep]"),
};

const bodies: Record<string, Content> = {
  "body-long-line": keys("other: x", `${"word ".repeat(60)}end of NAME\n`),
  "body-very-long": keys("other: x", `NAME ${"word ".repeat(400)}\n`),
  "body-headings": keys("other: x", "# One\n\n## Two of NAME\n\nText\nmore\n\nLast\n"),
  "body-tag": keys("other: x", "#NAME without a space\ntext\n"),
  "body-list": keys("other: x", "- item of NAME\n- another\n"),
  "body-code": keys("other: x", "```sh\n# NAME\n```\n"),
  "body-html": keys("other: x", "<!-- NAME -->\nText\n"),
  "body-indented": keys("other: x", "   \n   NAME   \n"),
  "body-long-lines": keys("other: x", `NAME ${"a".repeat(600)}\n${"b".repeat(600)}\nc\n`),
  "body-crlf": keys("other: x", "one of NAME\r\ntwo\r\nthree\r\nfour\r\n"),
};

/** One to six lines of text. */
for (const count of [1, 2, 3, 4, 5, 6]) {
  const lines = ["one of NAME", "two", "three", "four", "five", "six"].slice(0, count);
  bodies[`body-${count}`] = keys("other: x", lines.join("\n"));
  bodies[`body-${count}-spread`] = keys("other: x", `\n# Heading\n\n${lines.join("\n\n## More\n \n")}\n`);
}

const empties: Record<string, Content> = { "empty-file": () => "", "blank-file": () => "  \n\n" };

const agentKeys: Record<string, Content> = {
  "infer-false": described("infer: false"),
  "infer-text": described("infer: maybe"),
  "mcp-number": described("mcp-servers: 42"),
  "skills-number": described("skills: 42"),
  "hooks-number": described("hooks: 42"),
  "target-other": described("target: vscode"),
  "tools-text": described("tools: Read, Grep"),
  "tools-list": described("tools: [Read]"),
  "tools-empty": described("tools: []"),
  "tools-number": described("tools: 42"),
  "tools-mixed": described("tools: [1, Read]"),
  "tools-null": described("tools:"),
  "model-number": described("model: 42"),
  "model-list": described("model: [a, b]"),
};

const texts = { ...description, ...name };
const forms = { ...frame, ...invalid, ...flags, ...empties };
const harmless = { ...texts, ...forms, ...hints, ...bodies };
const all = { ...harmless, ...fatalDescription, ...numberName };
const allTexts = { ...texts, ...fatalDescription, ...numberName };

const plantings: readonly { readonly at: string; readonly tag: string; readonly rows: Record<string, Content> }[] = [
  { at: ".claude/skills/*/SKILL.md", tag: "cs", rows: { ...all, ...skillNames } },
  { at: ".claude/commands/*.md", tag: "cc", rows: all },
  // Copilot takes no more than 100 agents from a folder.
  { at: ".claude/agents/*.md", tag: "ca", rows: { ...forms, ...agentKeys } },
  { at: "~/.claude/agents/*.md", tag: "ua", rows: allTexts },
  { at: ".github/agents/*.agent.md", tag: "ga", rows: { ...allTexts, ...agentKeys } },
  { at: "~/.copilot/agents/*.md", tag: "va", rows: forms },
  { at: "~/.agents/skills/*/SKILL.md", tag: "us", rows: all },
  { at: ".opencode/skills/*/SKILL.md", tag: "os", rows: all },
  { at: ".opencode/agents/*.md", tag: "oa", rows: harmless },
  { at: "~/.config/opencode/commands/*.md", tag: "oc", rows: { ...harmless, ...numberName } },
  { at: ".opencode/mode/*.md", tag: "om", rows: { ...harmless, ...fatalDescription } },
];

/** Files whose content is odd or broken, in a folder of each kind. No two are alike: OpenCode caches by content. */
export const oddContents: Tree = {
  files: Object.fromEntries(
    plantings.flatMap(({ at, tag, rows }) =>
      Object.entries(rows).map(([row, content]) => {
        const planted = `${row}-${tag}`;
        return [at.replace("*", planted), content(planted)];
      }),
    ),
  ),
};

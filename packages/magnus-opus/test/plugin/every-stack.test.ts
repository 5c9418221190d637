// `/implement` from the request to its acceptance on every stack: the real OpenCode, the stack's own test runner, scripted models.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { type FileContent, tmpProject } from "@atomic/testing/project";
import { OpencodeWithMagnus } from "./opencode-with-magnus.ts";
import * as agents from "./scripted-agents.ts";

let opencode: OpencodeWithMagnus;

beforeAll(async () => {
  opencode = await OpencodeWithMagnus.open();
}, 180_000);
afterEach(() => opencode.model.verify());
afterAll(() => opencode[Symbol.asyncDispose]());

interface StackProject {
  readonly stack: string;
  /** What has to run for it. */
  readonly needs: readonly [string, ...string[]];
  readonly files: Readonly<Record<string, FileContent>>;
  readonly feature: string;
  readonly test: readonly [path: string, text: string];
  readonly code: readonly [path: string, text: string];
  readonly command: string;
  /** Nothing of the other stacks reaches a model. */
  readonly unheard: RegExp;
}

const nodeTest = `import assert from "node:assert/strict";
import { test } from "node:test";
import { discount } from "./discount.mjs";

test("a tenth off", () => assert.equal(discount(200), 180));
`;
const nodeCode = "export const discount = (price) => price * 0.9;\n";

const projects: readonly StackProject[] = [
  {
    stack: "sveltekit-convex",
    needs: ["node", "--version"],
    files: { "package.json": { devDependencies: { "@sveltejs/kit": "2" }, scripts: { test: "node --test" } } },
    feature: "a mutation that applies a discount",
    test: ["convex/discount.test.mjs", nodeTest],
    code: ["convex/discount.mjs", nodeCode],
    command: "npm test",
    unheard: /goroutine|pyproject/i,
  },
  {
    stack: "node",
    needs: ["node", "--version"],
    files: { "package.json": { type: "module", scripts: { test: "node --test" } } },
    feature: "a library that computes discounts",
    test: ["src/discount.test.mjs", nodeTest],
    code: ["src/discount.mjs", nodeCode],
    command: "npm test",
    unheard: /svelte|convex|goroutine|pyproject/i,
  },
  {
    stack: "python",
    needs: ["python3", "-m", "pytest", "--version"],
    files: { "pyproject.toml": '[project]\nname = "shop"\nversion = "0.1.0"\n' },
    feature: "a module that computes discounts",
    test: [
      "test_discount.py",
      "from discount import discount\n\n\ndef test_tenth_off():\n    assert discount(200) == 180\n",
    ],
    code: ["discount.py", "def discount(price):\n    return price * 9 // 10\n"],
    command: "python3 -m pytest",
    unheard: /svelte|convex|tailwind|shadcn|goroutine/i,
  },
  {
    stack: "go",
    needs: ["go", "version"],
    files: { "go.mod": "module example.com/shop\n\ngo 1.19\n", "doc.go": "package shop\n" },
    feature: "a package that computes discounts",
    test: [
      "discount_test.go",
      'package shop\n\nimport "testing"\n\nfunc TestTenthOff(t *testing.T) {\n\tif Discount(200) != 180 {\n\t\tt.Fatal("no discount")\n\t}\n}\n',
    ],
    code: ["discount.go", "package shop\n\nfunc Discount(price int) int { return price * 9 / 10 }\n"],
    command: "go test -json ./...",
    unheard: /svelte|convex|tailwind|shadcn|pyproject/i,
  },
];

for (const { stack, needs, files, feature, test: written, code, command, unheard } of projects) {
  const [program, ...words] = needs;
  const isThere = spawnSync(program, words).status === 0;
  if (!isThere) console.warn(`skipped: /implement in a ${stack} project, because \`${needs.join(" ")}\` fails here`);
  test.skipIf(!isThere)(
    `/implement in a ${stack} project, from the request to its acceptance`,
    async () => {
      const { model } = opencode;
      await using project = await tmpProject({ files });
      const directory = project.dir;
      const already = model.prompts.length;
      agents.orchestratorPlans(model, "implement");
      agents.architect(model);
      agents.orchestratorBuilds(model, ["backend", "reviewer"]);
      model
        .expect("As backend:")
        .tool("write", { filePath: project.path(written[0]), content: written[1] })
        .then.tool("run_tests")
        .then.tool("write", { filePath: project.path(code[0]), content: code[1] })
        .then.tool("run_tests")
        .then.reply("built, test first");
      agents.judge(model, "reviewer", "reviews/code-review/one.md");
      agents.orchestratorEnds(model);
      agents.cleaner(model);

      const session = await opencode.session(directory);
      const type = async (name: string, typed = ""): Promise<string> =>
        await opencode.type(session, name, typed, { directory });
      expect(await type("implement", `${feature} --skip-plan-review`)).toBe("please approve the plan");
      expect(await type("approve")).toBe("please accept");
      expect(await type("approve")).toBe("all done");

      const { status, workflow, refusals, evidence, options } = opencode.state(session, directory);
      expect([status.kind, workflow, refusals]).toEqual(["done", "API_FOCUSED", 0]);
      expect(options.testCommand).toMatchObject({ argv: command.split(" "), setBy: "stack" });
      expect(evidence.map(({ counts, testFiles }) => [counts, testFiles])).toEqual([
        [{ passed: 0, failed: 1, skipped: 0 }, 1],
        [{ passed: 1, failed: 0, skipped: 0 }, 1],
      ]);
      const sent = model.prompts.slice(already).map(({ raw }) => JSON.stringify(raw));
      expect(sent.length).toBeGreaterThan(10);
      expect(sent.flatMap((request) => unheard.exec(request.replaceAll(directory, ""))?.[0] ?? [])).toEqual([]);
    },
    180_000,
  );
}

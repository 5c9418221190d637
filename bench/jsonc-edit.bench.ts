import { editJsonc } from "@atomic/durable-files/jsonc/edit";
import { applyEdits, modify } from "jsonc-parser";
import peer from "jsonc-parser/package.json" with { type: "json" };
import { bench, type Contestant, type Group } from "./harness/bench.ts";

const added = "review@1.2.0";

type Insert = (text: string) => string;

const ours: Insert = (text) => editJsonc(text, [{ op: "insert", path: ["plugin"], value: added }]);

const jsoncParser: Insert = (text) => {
  const options = { isArrayInsertion: true, formattingOptions: { tabSize: 2, insertSpaces: true } };
  return applyEdits(text, modify(text, ["plugin", -1], added, options));
};

const rewrite: Insert = (text) => {
  const config = JSON.parse(text) as { plugin: string[] };
  config.plugin.push(added);
  return `${JSON.stringify(config, null, 2)}\n`;
};

/** Without comments, so JSON.parse can take part. */
function opencodeJson(agents: number): string {
  const agent = (index: number) => ({
    description: `Reviews part ${index} of a change and answers with a list of findings`,
    mode: "subagent",
    permission: { edit: "deny", bash: { "*": "ask", "git diff*": "allow", "git log*": "allow" } },
  });
  const config = {
    $schema: "https://opencode.ai/config.json",
    plugin: ["notify@0.4.1", "worktree@2.0.0"],
    agent: Object.fromEntries(Array.from({ length: agents }, (_, index) => [`reviewer-${index}`, agent(index)])),
    mcp: { docs: { type: "remote", url: "https://example.com/mcp", enabled: false } },
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

function contestant(name: string, text: string, insert: Insert): Contestant {
  return {
    name,
    ...(insert === ours && { ours: true, expectRatio: { of: "jsonc-parser", atMost: 3, metric: "cpu" } }),
    micro: () => insert(text),
    check: (_round, result) => {
      const wanted = JSON.stringify(JSON.parse(rewrite(text)));
      if (JSON.stringify(JSON.parse(result as string)) !== wanted) throw new Error(`${name} inserted something else`);
    },
  };
}

function group(size: string, text: string): Group {
  return {
    title: `Add a plugin to an opencode.json with ${size} (${(text.length / 1000).toFixed(1)} kB)`,
    baseline: "jsonc-parser",
    contestants: [
      contestant("JSON.parse + stringify", text, rewrite),
      contestant("jsonc-parser", text, jsoncParser),
      contestant("editJsonc", text, ours),
    ],
  };
}

export default bench({
  title: "Adding one plugin to opencode.json",
  about: `- \`JSON.parse\` and \`JSON.stringify\` reject comments and trailing commas and reformat the whole file.
- \`jsonc-parser\` (\`modify\`, \`applyEdits\`) splices text in and trusts the result.
- \`editJsonc\` also splices, copies the layout of neighboring items, refuses a damaged file and duplicate keys on the path, then parses
  its result again, compares every value, and proves that removing the new item restores the original bytes.`,
  versions: { "jsonc-parser": peer.version },
  groups: [group("two agents", opencodeJson(2)), group("two hundred agents", opencodeJson(200))],
});

import { describe, expect, test } from "bun:test";
import { parseLock } from "../src/hugo-lock/parse-lock.ts";
import { file, hash, refusal, text } from "./hugo-lock-sample.ts";

const SHA512 = `sha512-${"A".repeat(86)}==`;

describe("a lock that cannot be trusted", () => {
  const edited = (from: string, to: string) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  };
  const local = (version: string) =>
    edited('"github:org/debugging#v2"', '"./debugging"').replace(/"version": "0123\w+"/, `"version": "${version}"`);

  test.each<[string, string, string]>([
    ["no JSON", "{", "hugo.json:1:2: expected"],
    ["an empty file", "", "hugo.json: the whole value is missing"],
    ["no workflows", '{"version": 1}', "workflows is missing"],
    ["no version", '{"workflows": {}}', "version is missing"],
    ["version 0", '{"version": 0}', "is not a valid version"],
    ["a text as version", '{"version": "1"}', "version is not a whole number"],
    ["an unknown key", '{"version": 1, "extra": 1}', "extra is not a known key"],
    ["a key twice", '{"version": 1, "workflows": {}, "workflows": {}}', "workflows appears more than once"],
    ["a check that is not a hash", edited(`"check": "${hash("c")}"`, '"check": true'), "check is not a string"],
    ["workflows as a list", '{"version": 1, "workflows": []}', "workflows is not an object"],
    [
      "a name that is a property of objects",
      edited('"code-review": {', '"constructor": {'),
      "is not a valid workflow name",
    ],
    ["a name with a slash", edited('"code-review": {', '"a/b": {'), "is not a valid workflow name"],
    ["a name that is a path", edited('"code-review": {', '"..": {'), "is not a valid workflow name"],
    ["an unknown delivery", edited('"plugin"', '"magic"'), 'is "magic", but must be one of plugin, copy'],
    [
      "an empty list of places",
      text.replace(/"disabled": \{[^}]*\}\s*\}/, '"disabled": []'),
      "disabled is a list with fewer",
    ],
    ["an unknown part", edited('"disabled": {', '"parts": ["web"], "disabled": {'), "must be one of server, tui"],
    ["a part twice", edited('"disabled": {', '"parts": ["tui", "tui"], "disabled": {'), "is not a list of parts"],
    ["the usual part alone", edited('"disabled": {', '"parts": ["server"], "disabled": {'), "is not a list of parts"],
    [
      "what it registers as one name",
      edited('"disabled": {', '"registers": { "tools": "x" }, "disabled": {'),
      "registers.tools is not an array",
    ],
    [
      "an unknown kind that it registers",
      edited('"disabled": {', '"registers": { "spells": ["x"] }, "disabled": {'),
      "spells is not a known key",
    ],
    ["files of a plugin", edited('"disabled": {', '"files": {}, "disabled": {'), "files is not a known key"],
    ["a plugin without agents", edited('"agents": [\n        "reviewer"\n      ],', ""), "agents is missing"],
    [
      "a copy without files",
      text.replace(/,\s*"files": \{[\s\S]*?\}\s*\}(?=\s*\}\s*\}\s*\}\s*$)/, ""),
      "files is missing",
    ],
    ["a name that Windows reserves", edited('"code-review": {', '"con": {'), "is reserved on Windows"],
    ["a package outside", edited('"package": "debugging"', '"package": "../debugging"'), "is not a valid package name"],
    [
      "another package than its source",
      edited('"package": "@org/code-review"', '"package": "evil"'),
      "does not match the package named in its source",
    ],
    [
      "a version that is another package",
      edited('"version": "1.2.0"', '"version": "npm:evil@6.6.6"'),
      "is not a version",
    ],
    ["a commit that is an option", edited('"version": "0123', '"version": "-0123'), "is not a commit"],
    ["a local version with spaces", local("not a version"), "is not a version"],
    ["a local version that is a path", local("../../x"), "is not a version"],
    ["a local version that leads up", local(".."), "is not a version"],
    ["a commit with an option", edited('"version": "0123', '"version": "--upload-pack=x 0123'), "is not a commit"],
    [
      "a source in a form that Hugo never writes",
      edited('"github:org/debugging#v2"', '"org/debugging"'),
      "is not a source in the form",
    ],
    [
      "a source that runs a program",
      edited('"github:org/debugging#v2"', '"ext::sh -c x"'),
      "is not a source in the form",
    ],
    ["no package", edited('"package": "debugging",', ""), "package is missing"],
    ["an odd hash", edited(hash("b"), "sha1:1"), "is not a hash"],
    ["a hash in capitals", edited(hash("b"), hash("B")), "is not a hash"],
    [
      "a file outside",
      edited('"agents/debugger.md": {', '"../../.ssh/config": {'),
      "not in a folder that Hugo copies to",
    ],
    ["a file in another folder", edited('"agents/debugger.md": {', '"plugins/x.ts": {'), "not in a folder that Hugo"],
    [
      "a detour",
      edited('"agents/debugger.md": {', '"agents/../opencode.json": {'),
      "not in a folder that Hugo copies to",
    ],
    [
      "files that differ only in case",
      edited('"agents/debugger.md": {', '"commands/DEBUG.md": {'),
      'lists "commands/DEBUG.md" and "commands/debug.md", which many file systems cannot tell apart',
    ],
    [
      "dependencies that differ only in case",
      edited(`"tree": "${hash("a")}",`, `"dependencies": { "Dep": "1.0.0 ${SHA512}", "dep": "1.0.0 ${SHA512}" },`),
      'lists "Dep" and "dep", which many file systems cannot tell apart',
    ],
    ["an absolute file", edited('"agents/debugger.md": {', '"/etc/passwd": {'), "not in a folder that Hugo copies to"],
    ["a source outside", edited('"source": "agents/debugger.md"', '"source": "../x"'), "not a plain relative path"],
    ["a selection outside", edited('"agents/debugger",', '"../x",'), "not a plain relative path"],
    ["a name of an agent that leads out", edited('"debugger"\n', '"../../evil"\n'), 'The name "../../evil" has'],
    ["an odd name of an agent", edited('"debugger"\n', '"../x"\n'), "is not a valid name"],
    ["parked: false", edited('"parked": true', '"parked": false'), "must be true or omitted"],
    ["skipped: false", edited('"skipped": true', '"skipped": false'), "must be true or omitted"],
    ["deleted: false", edited('"deleted": true', '"deleted": false'), "must be true or omitted"],
    [
      "a skipped file that is deleted",
      edited('"skipped": true', '"skipped": true, "deleted": true'),
      "skipped and deleted",
    ],
    ["adopted: false", edited('"adopted": true', '"adopted": false'), "must be true or omitted"],
    [
      "a skipped file that is adopted",
      edited('"skipped": true', '"skipped": true, "adopted": true'),
      "skipped and adopted",
    ],
    ["a skipped file with a base", edited('"skipped": true', `"skipped": true, "base": "${hash("a")}"`), "has a base"],
    ["a negative index", edited('"index": 2', '"index": -2'), "is not a whole number"],
    ["an unknown maker", edited('"array"', '"world"'), "must be one of file, array"],
  ])("is refused for %s", (_, bad, problem) => {
    const error = refusal(() => parseLock(bad, file));
    expect(error.code).toBe("lock-invalid");
    expect(error.message).toContain(problem);
    expect(error.at).toStartWith(file);
    expect(error.hint).toContain("hugo ci");
  });

  test.each([
    ...[
      "github:",
      "git://",
      "github:a",
      "github:a/b#\u001b[31m",
      "github:a/b#",
      "github:../x",
      "git+https://u:p@host/x",
    ],
    ...["git+https://host", "git+https://host/a/../b", "git+file://host/x", "git+ssh://-x/y", "git://host/x?y"],
    ...["./\u0000", "../pkg\n\u001b[2J", "./a/../b", "./a/", "//host/x", "./a\\b", "./\u202ex", " ./x", "./x "],
    ...["debugging@\u0007", "debugging@", "debugging@npm:evil@1", "debugging@-x", "Debugging", "-x", ""],
  ])("is refused for the source %j, which Hugo never writes", (source) => {
    const bad = edited('"github:org/debugging#v2"', JSON.stringify(source));
    const error = refusal(() => parseLock(bad, file));
    expect(error).toMatchObject({ code: "lock-invalid", at: expect.stringMatching(/^.opencode\/hugo\.json:\d+:\d+$/) });
    expect(error.message).toContain("is not a source in the format that Hugo writes");
  });

  test.each([
    ["a comment", "// mine\n{", "{", ":1:1"],
    ["a comment inside", '"version": /* 2 */ 1', '"version": 1', ":2:14"],
    ["a trailing comma", '"reviewer",\n', '"reviewer"\n', undefined],
  ])("is refused for %s, which the next write would remove", (_what, to, from, at) => {
    const error = refusal(() => parseLock(edited(from, to), file));
    expect(error.code).toBe("lock-invalid");
    expect(error.message).toContain("hugo.json must not contain comments or trailing commas");
    expect(error.at).toMatch(/:\d+:\d+$/);
    if (at !== undefined) expect(error.at).toBe(`${file}${at}`);
  });

  test("from a newer Hugo is left alone", () => {
    const error = refusal(() => parseLock('{\n  "version": 2,\n  "workflows": 7\n}', file));
    expect(error).toMatchObject({ code: "lock-newer", exitCode: 3, at: `${file}:2:14` });
    expect(error.message).toContain("has version 2, but this version of Hugo only supports version 1");
  });

  test.each(["<<<<<<< HEAD", "=======", ">>>>>>> theirs", "||||||| base"])(
    "in the middle of a merge says so: %s",
    (line) => {
      const error = refusal(() =>
        parseLock(text.replace('"workflows"', `${line}\n  "workflows"`).replace(`  ${line}`, line), file),
      );
      expect(error.code).toBe("lock-conflict");
      expect(error.at).toBe(`${file}:7:1`);
      expect(error.hint).toContain("Run `hugo ci` before you commit the merge");
    },
  );

  test("is not a conflict just because it looks a little like one", () => {
    expect(parseLock(text.replace("sha512-abc==", "<<<<<<< HEAD"), file).workflows.size).toBe(2);
  });
});

import { newMark } from "@atomic/testing/marked-processes";
import type { ModelServer } from "@atomic/testing/model-server";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { type Project, tmpProject } from "@atomic/testing/project";
import { type OpencodeOptions, opencodeHost } from "../../src/hosts/opencode.ts";
import { type HostFixture, processesWith } from "./host-fixture.ts";
import { modelScript } from "./model-script.ts";

export interface OpencodeFixture extends HostFixture {
  readonly model: ModelServer;
  readonly project: Project;
  /** How the servers of this fixture are started. */
  readonly options: OpencodeOptions;
}

/** The real OpenCode, with the scripted model as the user's own. */
export async function opencodeFixture(config: object = {}): Promise<OpencodeFixture> {
  await using stack = new AsyncDisposableStack();
  const model = stack.use(await modelServer({ models: ["model-1", "model-2"] }));
  const project = stack.use(await tmpProject());
  await project.write("~/.config/opencode/opencode.json", opencodeConfig(model, config));
  const mark = newMark();
  const options = { program: opencodeBinary, env: { ...project.env, ...mark.env } };
  const owned = stack.move();
  return {
    model,
    project,
    options,
    host: async () => {
      const made = opencodeHost(options);
      owned.defer(() => made.dispose());
      return made;
    },
    session: { folder: project.dir },
    script: modelScript(model, ({ path, content }) => ({ name: "write", args: { filePath: path, content } })),
    isUsageStored: true,
    unknownId: "ses_0123456789abcdefghijklmnop",
    tools: { read: "read", write: "write" },
    otherModel: { option: "scripted/model-2", requested: "model-2" },
    processes: () => processesWith(mark.text),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

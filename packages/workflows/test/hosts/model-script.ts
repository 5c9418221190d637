import type { PromptMessage } from "@atomic/testing/model/conversation";
import type { ModelServer } from "@atomic/testing/model-server";
import type { Asked, Hanging, ModelScript, WrittenFile } from "./host-fixture.ts";

/** The call that makes this host's agent write a file. */
export type WriteCall = (file: WrittenFile) => { readonly name: string; readonly args: object };

/** The scripted model server, for hosts that really ask a model. */
export function modelScript(model: ModelServer, write: WriteCall): ModelScript {
  return {
    says(prompt, text, { gate, usage } = {}) {
      const chunks = typeof text === "string" ? [text] : text;
      const script = model.expect(prompt);
      if (gate === undefined) script.reply(chunks.join(""));
      else script.slow(chunks, gate);
      if (usage !== undefined) script.usage(usage);
    },
    writes(prompt, file, then) {
      const { name, args } = write(file);
      model.expect(prompt).tool(name, args).then.reply(then);
    },
    hangs(prompt): Hanging {
      model.expect(prompt).reply("hm").hang();
      const begun = model.waitFor(prompt);
      return {
        begun: async () => void (await begun),
        stopped: async () => {
          const outcome = await (await begun).ended;
          if (outcome !== "aborted") throw new Error(`The model's stream was not closed by the host, but ${outcome}.`);
        },
      };
    },
    fails(prompt, status, options) {
      model.expect(prompt).status(status, options).always();
    },
    asked: (prompt) => model.prompts.filter(({ user }) => user.includes(prompt)).map(askedOf),
    verify: () => model.verify(),
  };
}

type Recorded = ModelServer["prompts"][number];

function askedOf({ model, system, messages, tools, toolResults }: Recorded): Asked {
  return { model, system, messages: messages.map(textOf), tools: tools.map(({ name }) => name), toolResults };
}

function textOf(message: PromptMessage): string {
  return message.text;
}

// What a run asks, as forms. An agent's or a workflow's words are text, with their line breaks.
import { type Content, element } from "@atomic/workflows/internal/view/page-element";
import { formatTime } from "../../report/format.ts";
import type { AskedQuestion } from "./messages.ts";
import type { PageActions } from "./page-state.ts";

export function drawQuestions(
  questions: readonly AskedQuestion[],
  act: PageActions | undefined,
  isBusy: boolean,
): Content {
  if (questions.length === 0) return undefined;
  return element(
    "section",
    { class: "questions", "aria-labelledby": "questions" },
    element(
      "h2",
      { id: "questions" },
      questions.length === 1 ? "Waiting for your answer" : `Waiting for ${questions.length} answers`,
    ),
    questions.map((question, at) => drawQuestion(question, `question-${at}`, act, isBusy)),
  );
}

function drawQuestion(question: AskedQuestion, id: string, act: PageActions | undefined, isBusy: boolean): Content {
  const { key, kind, header, text, until, problem, isTooLate } = question;
  const about = [
    element("p", { class: "soft" }, kind === "permission" ? "Permission" : (header ?? "Question"), " · ", key),
    // What is long has its own scroll bar, so the buttons and the rest of the run stay near; a keyboard can scroll it, too.
    element(
      "p",
      { class: "asked", id, tabindex: text.length > 1000 || text.split("\n").length > 15 ? 0 : undefined },
      text,
    ),
    problem !== undefined && element("p", { class: "bad" }, problem),
    until !== undefined && element("p", { class: "soft" }, `Until ${formatTime(until)}`),
  ];
  if (act === undefined) return element("div", { class: "question" }, about);
  if (isTooLate) {
    const late = element(
      "p",
      { class: "warn" },
      "It is too late to answer. Resume the run to continue without an answer.",
    );
    return element("div", { class: "question", key }, about, late);
  }
  const form = (...content: readonly Content[]): Content =>
    element("form", { "aria-labelledby": id, onsubmit: act.answer(question) }, content);
  return element(
    "div",
    { class: "question", key },
    about,
    form(fields(question, id, act), element("div", { class: "buttons" }, buttons(question, isBusy))),
    // A form of its own: Enter in the field of a form presses the form's first button, and that must not allow it.
    kind === "permission" && form(refusal(act.typed(`${key} reason`), isBusy)),
  );
}

/** The fields that an answer consists of. */
function fields(question: AskedQuestion, id: string, act: PageActions): Content {
  const { kind, options, multiple } = question;
  if (kind === "text") {
    return element("textarea", {
      name: "words",
      rows: 4,
      required: true,
      "aria-labelledby": id,
      placeholder: "Your answer",
      dir: "auto",
      ...act.typed(question.key),
    });
  }
  if (kind !== "choice") return undefined;
  return element(
    "fieldset",
    { "aria-labelledby": id },
    options.map(({ label, description }, at) =>
      element(
        "label",
        { class: "option" },
        element("input", { type: multiple ? "checkbox" : "radio", name: "chosen", value: at, required: !multiple }),
        element(
          "span",
          {},
          element("b", {}, label),
          description !== undefined && element("span", { class: "soft" }, ` ${description}`),
        ),
      ),
    ),
  );
}

function buttons({ kind, covers }: AskedQuestion, isBusy: boolean): Content {
  if (kind === "approval") return [button("yes", "Yes", isBusy, "main"), button("no", "No", isBusy)];
  if (kind !== "permission") return button("send", "Answer", isBusy, "main");
  return [button("yes", "Allow once", isBusy, "main"), button("always", `Always in this run: ${covers ?? ""}`, isBusy)];
}

function refusal(typed: ReturnType<PageActions["typed"]>, isBusy: boolean): Content {
  return element(
    "div",
    { class: "buttons" },
    button("no", "Deny", isBusy, "danger"),
    element("input", {
      name: "reason",
      autocomplete: "off",
      placeholder: "Why not? The agent reads this.",
      "aria-label": "Why you deny it, for the agent",
      dir: "auto",
      ...typed,
    }),
  );
}

/** Disabling it would take the focus from a keyboard's user; a second request is not sent anyway. */
function button(say: string, text: string, isBusy: boolean, look = ""): Content {
  return element(
    "button",
    { type: "submit", name: "say", value: say, class: look, "aria-disabled": isBusy && "true" },
    text,
  );
}

import {copy} from "./dom.js";
import {count} from "./format.js";

/** The form in which an author writes a recipe. */
export class RecipeForm {
  #form;
  #steps;
  #total;

  /**
   * @param {HTMLFormElement} form
   * @param {() => void} onChange called when something was typed
   */
  constructor(form, onChange) {
    this.#form = form;
    this.#steps = form.querySelector("#steps");
    this.#total = form.querySelector("#total");
    form.addEventListener("input", () => this.#changed(onChange));
    form.querySelector("#add-step").addEventListener("click", () => {
      this.#addStep({}).querySelector("textarea").focus();
      this.#changed(onChange);
    });
    this.#steps.addEventListener("click", ({target}) => {
      const step = target.closest("[data-do=remove-step]")?.closest("li");
      if (!step) return;
      const neighbour = step.nextElementSibling ?? step.previousElementSibling;
      step.remove();
      if (!neighbour) this.#addStep({});
      (neighbour ?? this.#steps).querySelector("textarea").focus();
      this.#number();
      this.#changed(onChange);
    });
  }

  /** @param {any} content */
  fill({title = "", summary = "", servings, ingredients = [], steps = [], tags = []}) {
    const fields = this.#form.elements;
    fields.title.value = title;
    fields.summary.value = summary;
    fields.servings.value = servings || "";
    fields.ingredients.value = ingredients.join("\n");
    fields.tags.value = tags.join(", ");
    this.#steps.replaceChildren();
    for (const step of steps.length ? steps : [{}]) this.#addStep(step);
    this.#changed(() => {});
  }

  /** What was written, as the API takes it. */
  content() {
    const fields = this.#form.elements;
    const lines = (text, separator) => text.split(separator).map((line) => line.trim()).filter(Boolean);
    return {
      title: fields.title.value.trim(),
      summary: fields.summary.value.trim(),
      servings: Number(fields.servings.value) || 0,
      ingredients: lines(fields.ingredients.value, "\n"),
      steps: this.#written(),
      tags: lines(fields.tags.value, ","),
    };
  }

  #written() {
    return [...this.#steps.children].map((step) => ({
      text: step.querySelector("textarea").value.trim(),
      minutes: Number(step.querySelector("input").value) || 0,
    })).filter(({text}) => text);
  }

  #addStep({text = "", minutes}) {
    const step = copy("step");
    step.querySelector("textarea").value = text;
    step.querySelector("input").value = minutes || "";
    this.#steps.append(step);
    this.#number();
    return step;
  }

  #number() {
    [...this.#steps.children].forEach((step, i) => {
      step.querySelector(".step-number").textContent = `Step ${i + 1}`;
      step.querySelector("textarea").setAttribute("aria-label", `Step ${i + 1}`);
      step.querySelector("textarea").required = i === 0;
      step.querySelector("input").setAttribute("aria-label", `Minutes of step ${i + 1}`);
      step.querySelector("button").setAttribute("aria-label", `Remove step ${i + 1}`);
    });
  }

  #changed(onChange) {
    const minutes = this.#written().reduce((sum, step) => sum + step.minutes, 0);
    this.#total.textContent = minutes ? `${count(minutes, "minute")} in all` : "";
    onChange();
  }
}

import {request} from "../api.js";
import {at} from "../dom.js";
import {onPress, onSubmit} from "../form.js";
import {moment, randomID} from "../format.js";
import {save, take} from "../publications.js";
import {RecipeForm} from "../recipeform.js";
import {PhotoField} from "../recipe/photofield.js";
import {start} from "../shell.js";
import {tab} from "../storage.js";

const KEPT = "What you wrote is kept.";

start(async (page) => {
  const {signal, me, id, load} = page;
  let recipe = id ? (await load(() => request("GET", `/api/recipes/${encodeURIComponent(id)}`, {signal}))).body : null;
  let key = randomID();
  const draft = `crumb.draft.${id || "new"}`;
  const kept = tab.get(draft);
  const photo = new PhotoField({signal, key: kept?.photo_key ?? recipe?.photo_key, onChange: keep});
  const form = new RecipeForm(at("recipe-form"), keep);
  form.fill(kept ?? recipe ?? {});
  head();

  const status = onSubmit(at("recipe-form"), {signal, doing: "Saving", failed: "It was not saved", kept: KEPT}, async (send, {submitter}) => {
    await photo.ready();
    if (submitter?.value === "publish") publish();
    else await saveDraft(send);
  });
  if (kept) status.show({tone: "quiet", title: "What you wrote before is still here"});
  onPress(at("delete"), {signal, status, doing: "Deleting", failed: "It was not deleted"}, remove);

  function content() {
    return {...form.content(), ...(photo.key ? {photo_key: photo.key} : {})};
  }

  function keep() {
    tab.set(draft, content());
  }

  function head() {
    const published = recipe && recipe.state !== "draft";
    at("heading").textContent = recipe ? (published ? "Change your recipe" : "Your draft") : "Publish a recipe";
    at("publish").hidden = Boolean(published);
    at("save-draft").textContent = published ? "Save changes" : "Save as draft";
    at("save-draft").classList.toggle("primary", Boolean(published));
    at("delete").hidden = !recipe;
    at("editor").hidden = false;
  }

  /** The profile shows it at once, and sends it. */
  function publish() {
    take({content: content(), author: {id: me.id, name: me.name}, draft, recipe: recipe?.id, version: recipe?.version});
    location.assign(`/cooks/${encodeURIComponent(me.id)}`);
  }

  async function saveDraft(send) {
    const written = content();
    recipe = {...recipe, ...await saved(send, written)};
    tab.set(draft, null);
    if (recipe.state !== "draft") return location.assign(`/recipes/${encodeURIComponent(recipe.id)}`);
    if (!id) return location.replace(`/recipes/${encodeURIComponent(recipe.id)}/edit`);
    head();
    status.show({tone: "good", title: `Draft saved on ${moment(recipe.changed_at)}`});
  }

  /** Saves; where it was changed elsewhere meanwhile, the author decides. */
  async function saved(send, written) {
    for (;;) {
      try {
        return await save({id: key, recipe: recipe?.id, version: recipe?.version, content: written}, {signal, send});
      } catch (error) {
        if (error.status !== 409) throw error;
        await status.ask({tone: "wait", title: "It was changed elsewhere meanwhile", note: KEPT}, "Save mine over it", signal);
        recipe = (await send(() => request("GET", `/api/recipes/${encodeURIComponent(recipe.id)}`, {signal}))).body;
      }
    }
  }

  async function remove(send) {
    await status.ask({tone: "wait", title: "Delete this recipe for good?"}, "Yes, delete it", signal);
    await send(() => request("DELETE", `/api/recipes/${encodeURIComponent(recipe.id)}`, {signal}));
    tab.set(draft, null);
    location.assign(`/cooks/${encodeURIComponent(me.id)}`);
  }
}, {members: true});

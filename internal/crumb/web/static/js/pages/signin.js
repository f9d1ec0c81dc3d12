import {request} from "../api.js";
import {later} from "../attend.js";
import {at} from "../dom.js";
import {RequestError} from "../errors.js";
import {onSubmit} from "../form.js";
import {homeward} from "../session.js";
import {start} from "../shell.js";

start(async ({signal, query}) => {
  const onward = () => location.assign(homeward(query.get("next")));
  onSubmit(at("sign-in"), {signal, doing: "Signing in", failed: "You are not signed in"}, async (send, {data}) => {
    await enter(send, "/api/sessions", data);
  });
  onSubmit(at("sign-up"), {signal, doing: "Making your account", failed: "There is no account yet"}, async (send, {data}) => {
    await enter(send, "/api/readers", data);
  });
  onSubmit(at("forgot"), {signal, doing: "Asking for a mail", failed: "The mail could not be asked for"}, async (send, {data, status}) => {
    await send(() => request("POST", "/api/password-resets", {signal, body: data}));
    status.show({tone: "good", title: "A mail is on its way", note: "If there is an account with this address, the mail has a link that works for an hour."});
  });

  // Not before: a form without its script is sent by the browser, with the password in the address.
  at("entries").hidden = false;
  if (location.hash === "#forgot") at("forgot").scrollIntoView();

  async function enter(send, path, body) {
    await send(async () => {
      try {
        return await request("POST", path, {signal, body});
      } catch (error) {
        // Here 401 is about what was typed, and no reason to sign in first.
        if (error.status === 401) error.status = 422;
        // Too many tries: sending the same password again would be one more.
        if (error.status === 429) throw new RequestError("refused", `${error.message}, ${later(new Date(Date.now() + 1000 * (error.retryAfter ?? 60))).toLowerCase()}`, {status: 429});
        throw error;
      }
    });
    onward();
  }
});

import {parseRetryAfter} from "./backoff.js";
import {RequestError, kindOf} from "./errors.js";

/** No answer within this many milliseconds counts as none at all. */
const PATIENCE = 30_000;

/**
 * @typedef {object} Answer
 * @property {number} status below 400
 * @property {any} body the JSON, or null
 * @property {string | null} etag
 * @property {string | null} location
 * @property {number | undefined} retryAfter seconds
 */

/**
 * Sends one request to the API and reads its JSON. Throws a RequestError unless
 * the answer is a success or 304.
 * @param {string} method
 * @param {string} path
 * @param {{body?: object, key?: string, etag?: string | null, signal: AbortSignal}} options
 *   key is the Idempotency-Key: the same one each time a request is repeated
 * @returns {Promise<Answer>}
 */
export async function request(method, path, {body, key, etag, signal}) {
  const headers = {Accept: "application/json"};
  if (body) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  if (etag) headers["If-None-Match"] = etag;
  let response, content;
  try {
    response = await fetch(path, {
      method, headers, cache: "no-store",
      body: body && JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
    content = await readJSON(response);
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new RequestError("offline", "The server cannot be reached.", {cause});
  }
  const retryAfter = parseRetryAfter(response.headers.get("Retry-After"), timeOf(response));
  if (response.status >= 400) {
    throw new RequestError(kindOf(response.status), messageOf(content, response.status), {status: response.status, retryAfter});
  }
  return {
    status: response.status, body: content, retryAfter,
    etag: response.headers.get("ETag"), location: response.headers.get("Location"),
  };
}

/** When the server sent it, by its own clock: the reader's may be wrong. */
function timeOf(response) {
  const at = Date.parse(response.headers.get("Date") ?? "");
  return Number.isNaN(at) ? Date.now() : at;
}

/** @param {Response} response */
async function readJSON(response) {
  const type = response.headers.get("Content-Type") ?? "";
  if (!/[/+]json/.test(type)) return null;
  return response.json();
}

/**
 * Finds what to tell the person in a problem (RFC 9457).
 * @param {any} problem
 * @param {number} status
 */
function messageOf(problem, status) {
  return problem?.detail || problem?.title || problem?.message || `The server answered ${status}.`;
}

import {RequestError, kindOf} from "./errors.js";

/** Headers that browsers set themselves and forbid pages to set. */
const FORBIDDEN = new Set(["content-length", "host"]);

/**
 * Puts a file where a presigned URL says. XMLHttpRequest, because fetch does not
 * tell how much has been sent.
 * @param {{url: string, headers: Record<string, string>}} to
 * @param {Blob} file
 * @param {{signal: AbortSignal, onProgress: (share: number) => void}} options share from 0 to 1
 * @returns {Promise<void>}
 */
export function put({url, headers}, file, {signal, onProgress}) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const xhr = new XMLHttpRequest();
    const abort = () => xhr.abort();
    signal.addEventListener("abort", abort);
    xhr.upload.onprogress = (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total);
    };
    xhr.onload = () => {
      const error = failureOf(xhr);
      if (error) reject(error);
      else resolve();
    };
    xhr.onerror = () => reject(new RequestError("offline", "The upload was interrupted."));
    xhr.onabort = () => reject(signal.reason);
    xhr.onloadend = () => signal.removeEventListener("abort", abort);
    xhr.open("PUT", url);
    for (const [name, value] of Object.entries(headers)) {
      if (!FORBIDDEN.has(name.toLowerCase())) xhr.setRequestHeader(name, value);
    }
    xhr.send(file);
  });
}

/**
 * Gives what is wrong with the answer, or null.
 * @param {XMLHttpRequest} xhr
 */
function failureOf({status}) {
  if (status < 400) return null;
  // Something is there already. Only this page knows the URL: it was us, and the
  // answer got lost.
  if (status === 412) return null;
  if (status === 403) return new RequestError("expired", "The upload took too long to start.", {status});
  const kind = status === 409 ? "trouble" : kindOf(status);
  return new RequestError(kind, `The upload was refused (${status}).`, {status});
}

import {request} from "./api.js";

/**
 * Who is signed in; null: nobody.
 * @param {AbortSignal} signal
 * @returns {Promise<{id: string, name: string, email: string, newsletter: boolean, bounced?: string, unread: number} | null>}
 */
export async function whoami(signal) {
  try {
    return (await request("GET", "/api/me", {signal})).body;
  } catch (error) {
    if (error.status === 401) return null;
    throw error;
  }
}

/**
 * Where to go after signing in: a path of this site, whatever the address says.
 * @param {string | null} next
 */
export function homeward(next) {
  if (!URL.canParse(next ?? "/", location.origin)) return "/";
  const to = new URL(next ?? "/", location.origin);
  // A path that begins with two slashes ("/.//host" does) would name a host.
  return to.origin === location.origin ? to.pathname.replace(/^\/+/, "/") + to.search : "/";
}

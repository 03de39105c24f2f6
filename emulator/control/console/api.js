// Requests to the control API.

/** Thrown for an error response. The message is the sentence of the response. */
export class ControlError extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

// Browsers never send the fragment of a URL, so servers never log the token.
let token = new URLSearchParams(location.hash.slice(1)).get('token')

/** Uses another control token, and stores it in the URL of the page, so that the page can be loaded again. */
export function setToken(/** @type {string} */ given) {
  token = given
  history.replaceState(null, '', `#${new URLSearchParams({ token: given })}`)
}

/**
 * Calls the control API.
 * @param {unknown} body
 * @returns {Promise<any>} the JSON body
 * @throws {ControlError} for an error response; a TypeError if the emulator does not respond
 */
export async function call(path, method = 'GET', body = undefined) {
  const headers = {
    ...(token === null ? {} : { 'x-touchstone-token': token }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const payload = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`/__emulator/${path}`, { method, headers, ...payload })
  const text = await response.text()
  const json = text === '' ? undefined : JSON.parse(text)
  if (!response.ok)
    throw new ControlError(response.status, json?.error ?? `The emulator responded with ${response.status}.`)
  return json
}

/** Describes an exception of {@link call} in a sentence. */
export function describeError(error) {
  // fetch throws a TypeError if there is no response.
  return error instanceof TypeError ? 'The emulator does not respond. Check whether it is running.' : error.message
}

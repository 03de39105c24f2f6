import type { ClientRequest } from 'node:http'

/** Maximum number of interim responses (1xx) before a response. Node has no limit; clients expect one or two. */
export const MAX_INTERIM_RESPONSES = 100

/** Ends a request with an error if too many interim responses precede its response. */
export function limitInterimResponses(request: ClientRequest): void {
  let interim = 0
  request.on('information', () => {
    interim += 1
    if (interim > MAX_INTERIM_RESPONSES) request.destroy(new TooManyInterimError())
  })
}

export class TooManyInterimError extends Error {
  override readonly name = 'TooManyInterimError'

  constructor() {
    super(`more than ${MAX_INTERIM_RESPONSES} interim responses`)
  }
}

/** For k6: posts requests and reads whole responses with k6's own HTTP module. */
import http from 'k6/http'
import { body, headers, url } from './load-request.ts'

export { options } from './load-request.ts'

// oxlint-disable-next-line import/no-default-export -- k6 asks for it
export default function post(): void {
  const response = http.post(url, body, { headers })
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  // Once only: the cost of parsing a body is not the cost of reading it.
  if (__ITER === 0 && !String(response.body).endsWith('[DONE]\n\n')) throw new Error('no whole body')
}

/** Prints nothing. */
export function handleSummary(): object {
  return {}
}

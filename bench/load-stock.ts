/** For k6: posts and reads answers whole, with what k6 brings itself. */
import http from 'k6/http'
import { body, headers, url } from './load-request.ts'

export { options } from './load-request.ts'

// oxlint-disable-next-line import/no-default-export -- k6 asks for it
export default function post(): void {
  const response = http.post(url, body, { headers })
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  // Only once: what a script does with a body is no cost of reading it.
  if (__ITER === 0 && !String(response.body).endsWith('[DONE]\n\n')) throw new Error('no whole body')
}

/** Prints nothing. */
export function handleSummary(): object {
  return {}
}
